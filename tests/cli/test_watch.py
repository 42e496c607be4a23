"""The process that waits: no code but the one that was told, and no pass without one."""

import ctypes
import os
import signal
import subprocess
import sys
import time

import pytest

from crowdproof.errors import ExitCode

pytestmark = pytest.mark.processes

WATCHED = "import os, sys\nfrom crowdproof import cli\nfrom crowdproof.cli import watch\n"


def watched(body: str, **options: object) -> subprocess.CompletedProcess[str]:
    """The command line, whose work is this."""
    program = f"{WATCHED}def work():\n    {body}\ncli.main = work\nwatch.main()\n"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, **options)


@pytest.mark.parametrize("code", ExitCode)
def test_the_code_that_was_told_is_the_exit_code(code):
    ran = watched(f"print('a report'); sys.exit({int(code)})")
    assert (ran.returncode, ran.stdout, ran.stderr) == (code, "a report\n", "")


EVERYWHERE = """for number in range(3, 20):
        try: os.write(number, bytes(17))
        except OSError: pass
    os._exit(0)"""


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("os._exit(0)", "exit status 0"),
        ("os._exit(1)", "exit status 1"),
        (EVERYWHERE, "exit status 0"),
        ("os.kill(os.getpid(), 9)", "signal 9"),
        ("os.abort()", "signal 6"),
        ("raise RuntimeError", "exit status 1"),
        ("pass", "exit status 1"),
        ("import atexit; atexit.register(os._exit, 7); sys.exit(0)", "exit status 7"),
        ("os.closerange(3, 99); sys.exit(0)", "exit status 0"),
        ("os.kill(os.getpid(), 3)", "signal 3"),
    ],
)
def test_without_a_code_there_is_no_verdict(body, how):
    ran = watched(body)
    assert ran.returncode == ExitCode.BROKEN
    assert f"ended before it came to a verdict ({how})" in ran.stderr


REPLACED = """os.closerange(3, 99)
    import tempfile
    files = [tempfile.TemporaryFile() for _ in range(9)]
    atexit.register(lambda: sys.stdout.write(str(sum(os.fstat(each.fileno()).st_size for each in files))))
    sys.exit(0)"""


def test_nothing_is_written_into_a_file_that_took_the_place_of_the_pipe():
    ran = watched(f"import atexit\n    {REPLACED}")
    assert (ran.returncode, ran.stdout) == (ExitCode.BROKEN, "0")


def test_a_fork_that_goes_on_has_nothing_to_tell():
    ran = watched("child = os.fork(); child and os.waitpid(child, 0); sys.exit(1 if child else 0)")
    assert (ran.returncode, ran.stderr) == (ExitCode.REFUTED, "")


def test_where_no_process_can_be_started_there_is_no_verdict():
    program = f"{WATCHED}def refuse(): raise BlockingIOError(11, 'no more of them')\nos.fork = refuse\nwatch.main()\n"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == ExitCode.BROKEN
    assert "cannot start a process to work in (no more of them): end other processes" in ran.stderr


def test_what_was_told_is_not_taken_back():
    ran = watched("import atexit; atexit.register(os._exit, 0); sys.exit(1)")
    assert (ran.returncode, ran.stderr) == (ExitCode.REFUTED, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(closed):
    program = f"{WATCHED}cli.main = lambda: sys.exit(4)\nwatch.main()\n"
    assert subprocess.run(["sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, program]).returncode == 4


SLOW = "import time\n    try: print('at work', flush=True); time.sleep(60)\n    except KeyboardInterrupt: sys.exit(3)"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 3), (signal.SIGTERM, 3), (signal.SIGHUP, 3), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_signal_reaches_the_work(number, code):
    program = f"{WATCHED}def work():\n    {SLOW}\ncli.main = work\nwatch.main()\n"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"at work\n"
        process.send_signal(number)
        assert process.wait(30) == code
        assert process.stdout.read() == b""  # which ends when nobody is left who could write


def test_an_interrupt_of_the_terminal_comes_once():
    body = "import time\n    seen = []\n    import signal\n    signal.signal(2, lambda *_: seen.append(1))"
    body += "\n    print('at work', flush=True)\n    time.sleep(1.5)\n    sys.exit(40 + len(seen))"
    program = f"{WATCHED}def work():\n    {body}\ncli.main = work\nwatch.main()\n"
    pid, line = os.forkpty()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", program])
    while b"at work" not in os.read(line, 100):
        time.sleep(0.01)
    os.write(line, b"\x03")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 41
    os.close(line)


UNASKED = "from crowdproof.interrupts import UNASKED\n    assert len(UNASKED) > 30\n    "


@pytest.mark.skipif(sys.platform != "linux", reason="its signals are those of Linux")
@pytest.mark.parametrize("whose", ["os.getpid()", "os.getppid()"])
def test_signals_that_ask_for_nothing_end_nobody(whose):
    ran = watched(f"{UNASKED}[os.kill({whose}, each) for each in UNASKED]; sys.exit(0)")
    assert (ran.returncode, ran.stderr) == (ExitCode.HELD, "")


@pytest.mark.skipif(sys.platform != "linux", reason="its signals are those of Linux")
def test_programs_that_are_started_are_ended_by_them():
    end = "import os, signal; os.kill(os.getpid(), signal.SIGVTALRM)"
    ran = watched(f"import subprocess; sys.exit(-subprocess.run([sys.executable, '-c', {end!r}]).returncode)")
    assert ran.returncode == signal.SIGVTALRM


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGTSTP])
@pytest.mark.parametrize("whose", ["os.getpid()", "os.getppid()"])
def test_who_is_stopped_goes_on(number, whose):
    ran = watched(f"[os.kill({whose}, {int(number)}) for _ in range(3)]; sys.exit(0)")
    assert (ran.returncode, ran.stderr) == (ExitCode.HELD, "")


def test_who_is_stopped_again_and_again_ends_with_what_it_has():
    stop = f"while True: os.kill(os.getpid(), {int(signal.SIGSTOP)})"
    ran = watched(f"try:\n        {stop}\n    except KeyboardInterrupt: sys.exit(1)")
    assert (ran.returncode, ran.stderr) == (ExitCode.REFUTED, "")


def test_a_key_suspends_everything_until_it_is_to_go_on():
    body = "import time\n    print('at work', flush=True)\n    time.sleep(1)\n    sys.exit(4)"
    program = f"{WATCHED}def work():\n    {body}\ncli.main = work\nwatch.main()\n"
    shell = f'set -m; {sys.executable} -c "$0"; echo suspended; sleep 2; fg >/dev/null; echo code $?'
    pid, line = os.forkpty()
    if pid == 0:
        os.execvp("bash", ["bash", "-c", shell, program])
    shown = b""
    while b"at work" not in shown:
        shown += os.read(line, 100)
    os.write(line, b"\x1a")
    while b"code" not in shown:
        shown += os.read(line, 100)
    os.waitpid(pid, 0)
    os.close(line)
    assert b"suspended" in shown
    assert b"code 4" in shown


DAEMON = """import time
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.setsid()
                time.sleep(100)
            os._exit(0)
    {then}"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell whose orphan a process is")


@LINUX
@pytest.mark.parametrize(("then", "code"), [("sys.exit(1)", 1), ("os._exit(0)", 3), ("os.kill(os.getpid(), 9)", 3)])
def test_processes_that_were_left_behind_end_with_the_run(then, code):
    started = time.monotonic()
    ran = watched(DAEMON.format(then=then))  # which waits until nobody is left who could write
    assert ran.returncode == code
    assert time.monotonic() - started < 30


@LINUX
def test_one_that_ends_by_itself_is_not_killed(tmp_path):
    ran = watched(f"os.fork() == 0 and (os.system('sleep 0.3; echo > {tmp_path}/tidy'), os._exit(0)); sys.exit(1)")
    assert ran.returncode == ExitCode.REFUTED
    assert (tmp_path / "tidy").exists()


@LINUX
def test_processes_of_others_go_on():
    program = f"{WATCHED}cli.main = lambda: sys.exit(4)\nwatch.main()\n"
    line = 'sleep 100 </dev/null >/dev/null 2>&1 & echo $!; exec "$0" -c "$1"'
    ran = subprocess.run(["bash", "-c", line, sys.executable, program], capture_output=True, text=True)
    assert ran.returncode == 4
    os.kill(int(ran.stdout), signal.SIGKILL)  # which is there to be killed


# --- a judge that does not end ------------------------------------------------------------------------------------

DEAF = "import signal, time\n    signal.signal(signal.SIGTERM, signal.SIG_IGN); print('at work', flush=True); "


def asked_to_end(body, patience=0.5):
    """How a watched process ends, and what it says, when it is asked to by a signal."""
    program = f"{WATCHED}def work():\n    {body}\ncli.main = work\nwatch.PATIENCE = {patience}\nwatch.main()\n"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], text=True, **pipes) as process:
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) is not None
        return process.returncode, process.stderr.read()


def test_a_judge_that_does_not_end_when_it_is_asked_to_is_killed():
    code, told = asked_to_end(f"{DEAF}time.sleep(100)")
    assert code == ExitCode.BROKEN
    assert "did not end within 0 seconds of being asked to, and was killed" in told
    assert len(told.splitlines()) == 1


def test_one_that_takes_its_time_is_not():
    assert asked_to_end(f"{DEAF}time.sleep(1); sys.exit(1)", patience=20) == (ExitCode.REFUTED, "")


def test_what_it_told_before_it_hung_is_kept():
    ends = "import atexit; atexit.register(time.sleep, 100)"
    assert asked_to_end(f"{DEAF}{ends}; sys.exit(1)") == (ExitCode.REFUTED, "")
    assert asked_to_end(f"{DEAF}{ends}; sys.exit(0)")[0] == ExitCode.BROKEN


LOOKING = """import subprocess
    print(subprocess.run([sys.executable, '-c', {program!r}], capture_output=True, text=True).stdout)
    sys.exit(0)"""
LOOKED = """
import os
for name in ("mem", "fd/1", "fd/2", "cwd"):
    try:
        os.open(f"/proc/{os.getppid()}/{name}", os.O_WRONLY if name.startswith("fd") else os.O_RDONLY)
        print(name)
    except PermissionError:
        pass
"""
DROP, PTRACE = 24, 19
"""PR_CAPBSET_DROP and CAP_SYS_PTRACE: the superuser of a machine looks into any process, that of a container into none
but its own."""


def as_in_a_container():
    ctypes.CDLL(None).prctl(DROP, PTRACE, 0, 0, 0)


@LINUX
def test_a_target_can_open_no_file_of_the_judge_and_none_of_its_memory():
    """Neither the report on its standard output could be forged, nor the line on which it tells its exit code."""
    looking = LOOKING.format(program=LOOKED)
    ran = watched(looking, preexec_fn=as_in_a_container)
    assert (ran.returncode, ran.stdout.split()) == (0, [])
    twin = [sys.executable, "-c", "import sys\n" + looking.replace("\n    ", "\n")]
    seen = subprocess.run(twin, capture_output=True, text=True, timeout=60, preexec_fn=as_in_a_container)
    assert "fd/1" in seen.stdout.split()
