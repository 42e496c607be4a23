"""The wheel holds exactly the files of the folders, and nothing but `crowdproof` lands in an environment."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"src/crowdproof": "crowdproof", "proofs": "crowdproof/proofs", "audit": "crowdproof/audit"} | {
    "attacks": "crowdproof/attacks"
}


def tracked() -> set[str]:
    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True)
    names = set()
    for line in listed.stdout.splitlines():
        if (ROOT / line).is_symlink() or not (ROOT / line).exists():
            continue
        folder = next(each for each in FOLDERS if line.startswith(f"{each}/"))
        names.add(FOLDERS[folder] + line.removeprefix(folder))
    return names


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(out.glob("*.whl"))


def test_the_wheel_holds_exactly_the_files_of_the_folders(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == tracked()


def test_the_wheel_imports_in_a_clean_environment(wheel: Path, tmp_path: Path):
    """A clean environment that sees this one's libraries but not this checkout."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    home = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True
    ).stdout.strip()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(home)
    libraries = next(path for path in sys.path if path.endswith("site-packages"))
    program = (
        f"import sys; sys.path.append({libraries!r});"
        "import crowdproof, crowdproof.proofs, crowdproof.audit, crowdproof.attacks, crowdproof.mechanisms;"
        "print(crowdproof.__file__, crowdproof.proofs.__file__);"
        "import importlib.util as u; assert not any(map(u.find_spec, ['audit', 'proofs', 'attacks', 'tests']))"
    )
    ran = subprocess.run([str(python), "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count(str(tmp_path)) == 2


def test_the_source_distribution_holds_what_is_installed_and_makes_the_same_wheel(wheel: Path, tmp_path: Path):
    """No tests: they need links that an archive does not hold."""
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = [each.partition("/")[2] for each in archive.getnames()]
        archive.extractall(tmp_path / "source", filter="data")
    assert not [each for each in names if each.startswith("tests")]
    assert {"LICENSE", "README.md", "pyproject.toml"} <= set(names)
    (source,) = (tmp_path / "source").iterdir()
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as two:
        assert sorted(one.namelist()) == sorted(two.namelist())
