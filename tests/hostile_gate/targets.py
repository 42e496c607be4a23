"""Targets that try to end, deceive, slow down or write into the judge, by what they do.

Each is the source of a module with a function `f(table)`, or another kind of target as a configuration names it.
"""

# ruff: noqa: E501  (sources read better on a line each)

RETURNS = {
    # --- what it leaves behind or changes around itself
    "reads stdin": "import sys\ndef f(t):\n    return len(sys.stdin.read())",
    "changes the environment": "import os\ndef f(t):\n    os.environ.clear()\n    os.environ['PATH'] = ''\n    return 1",
    "changes folder": "import os\ndef f(t):\n    os.chdir('/')\n    return 1",
    "changes the mask of new files": "import os\ndef f(t):\n    os.umask(0o777)\n    return 1",
    "ignores signals": "import signal\ndef f(t):\n    [signal.signal(s, signal.SIG_IGN) for s in (2, 13, 15)]\n    return 1",
    "an exit hook that hangs": "import atexit, time\natexit.register(time.sleep, 600)\ndef f(t):\n    return 1",
    "an exit hook that kills": "import atexit, os\natexit.register(os._exit, 0)\ndef f(t):\n    return 1",
    "a thread that never ends": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\ndef f(t):\n    return 1"
    ),
    "a hundred threads": (
        "import threading, time\ndef f(t):\n    for _ in range(100):\n"
        "        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n    return 1"
    ),
    "a child in its own session": (
        "import subprocess\ndef f(t):\n    subprocess.Popen(['sleep', '600'], start_new_session=True)\n    return 1"
    ),
    "an orphan that prints": (
        "import os, time\ndef f(t):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n"
        "            time.sleep(600)\n        os._exit(0)\n    return 1"
    ),
    "prints commands": "def f(t):\n    print('::error::x\\n##[error]x\\n\\x1b[2J')\n    return 1",
    "prints without end": "def f(t):\n    print('x' * 5_000_000)\n    return 1",
    "warns without end": (
        "import warnings\ndef f(t):\n    for i in range(5000):\n        warnings.warn(str(i))\n    return 1"
    ),
    "turns the collector off": "import gc\ndef f(t):\n    gc.disable()\n    gc.freeze()\n    return 1",
    "lowers the recursion limit": "import sys\ndef f(t):\n    sys.setrecursionlimit(60)\n    return 1",
    "sets a trace": "import sys\ndef f(t):\n    sys.settrace(lambda *_: None)\n    return 1",
    "sets an alarm": "import signal\ndef f(t):\n    signal.setitimer(signal.ITIMER_REAL, 1000)\n    return 1",
    "spoils its input": "def f(t):\n    t.columns = ['x'] * t.width if t.width < 2 else t.columns\n    return 1",
    "is slow to import": "import time\ntime.sleep(0.5)\ndef f(t):\n    return 1",
    # --- what it writes
    "writes over the data": "from pathlib import Path\ndef f(t):\n    Path('people.csv').write_text('x')\n    return 1",
    "writes over the configuration": (
        "from pathlib import Path\ndef f(t):\n    Path('privacy.toml').write_text('[')\n    return 1"
    ),
    "links where a report goes": (
        "import os\nfrom pathlib import Path\ndef f(t):\n    Path('victim').write_text('whole')\n"
        "    for name in ('out.json', 'out.html'):\n        if not os.path.lexists(name):\n"
        "            os.symlink('victim', name)\n    return 1"
    ),
    "a folder where a report goes": (
        "import os\ndef f(t):\n    os.makedirs('out.junit.tmp/x', exist_ok=True)\n    return 1"
    ),
    "plants modules": (
        "from pathlib import Path\ndef f(t):\n    for name in ('sitecustomize', 'usercustomize', 'jinja2', 'json'):\n"
        "        Path(f'{name}.py').write_text('raise SystemExit(0)')\n    return 1"
    ),
    "preloads a library": (
        "import os\ndef f(t):\n    os.environ['LD_PRELOAD'] = '/nowhere.so'\n"
        "    os.environ['PYTHONSTARTUP'] = '/nowhere.py'\n    return 1"
    ),
    "writes over its own source": "def f(t):\n    open(__file__, 'a').write('\\n# more')\n    return 1",
    "removes its own source": (
        "import os\ndef f(t):\n    if os.path.exists(__file__):\n        os.remove(__file__)\n    return 1"
    ),
    "says that it loaded files without end": (
        "import sys, types\nfor name in ('/proc/kmsg', '/dev/zero', '/proc/self/mem', 'a\\0b', '\\ud800', '.', ''):\n"
        "    sys.modules[name] = module = types.ModuleType('m')\n    module.__file__ = name\ndef f(t):\n    return 1"
    ),
    "says that it loaded much": (
        "import os, sys, types\nfor number in range(300):\n    name = os.path.abspath(f'large{number}.bin')\n"
        "    open(name, 'ab').truncate(1 << 29)\n    sys.modules[name] = module = types.ModuleType('m')\n"
        "    module.__file__ = name\ndef f(t):\n    return 1"
    ),
    "a signature that is none": "def f(t):\n    return 1\nf.__signature__ = 'nonsense'",
    "wraps itself": "def f(t):\n    return 1\nf.__wrapped__ = f",
    # --- odd releases
    "nothing but nan": "def f(t):\n    return [float('nan')] * 3 + [1]",
    "halves of characters": "def f(t):\n    return {'\\ud800': '\\udfff'}",
    "turned text": "def f(t):\n    return '\\u202eevil\\u2066 <script>alert(1)</script> | `x` \\x1b[31m\\x00'",
    "a name that is a path": "def f(t):\n    return {'../../../etc/passwd': '/etc/shadow', '__class__': 1}",
    "a long text": "def f(t):\n    return 'x' * 500_000",
    "five thousand keys": "def f(t):\n    return {str(i): i for i in range(5_000)}",
    "a wide table": "import polars as pl\ndef f(t):\n    return pl.DataFrame({str(i): [1] for i in range(300)})",
    "a class that lies": (
        "class Lie(int):\n    def __eq__(self, other):\n        return True\n"
        "    def __hash__(self):\n        return 0\ndef f(t):\n    return Lie(t.height * 0)"
    ),
    "whole numbers without end": "def f(t):\n    return [10**3000] * 3",
    "dates before time": "import datetime\ndef f(t):\n    return [datetime.date.min, datetime.datetime.max]",
    "an empty table": "import polars as pl\ndef f(t):\n    return pl.DataFrame()",
    "zeros of both signs": "def f(t):\n    return [0.0, -0.0, 5e-324, 1.7976931348623157e308]",
}
"""Those that return a release after all."""

RELEASES_NOTHING = {
    # --- ends
    "exits with 0": "import os\ndef f(t):\n    os._exit(0)",
    "exits on import": "import os\nos._exit(0)\ndef f(t):\n    return 1",
    "sys.exit on import": "import sys\nsys.exit(0)\ndef f(t):\n    return 1",
    "raises on import": "raise BaseException('\\x1b[2J::error::x')",
    "no function": "x = 1",
    "no Python": "def (:",
    "NUL in the source": "x = '\0'",
    "deep source": "x = " + "(" * 5000 + ")" * 5000,
    "aborts": "import os\ndef f(t):\n    os.abort()",
    "segmentation fault": "import ctypes\ndef f(t):\n    ctypes.string_at(0)",
    "kills itself": "import os\ndef f(t):\n    os.kill(os.getpid(), 9)",
    "kills its group": "import os\ndef f(t):\n    os.killpg(0, 9)",
    "stops itself": "import os, signal\ndef f(t):\n    os.kill(os.getpid(), signal.SIGSTOP)",
    "replaces its process": "import os\ndef f(t):\n    os.execv('/bin/true', ['true'])",
    "recurses": "def f(t):\n    return f(t)",
    "raises itself": (
        "class E(Exception):\n    def __str__(self):\n        raise self\n    __repr__ = __str__\n"
        "def f(t):\n    raise E"
    ),
    "raises half a character": "def f(t):\n    raise ValueError('\\ud800\\n::stop-commands::x\\x1b[2J')",
    "raises a megabyte": "def f(t):\n    raise ValueError('x' * 1_000_000)",
    "raises a chain": (
        "def f(t):\n    error = None\n    for i in range(3000):\n        new = ValueError(i)\n"
        "        new.__cause__ = error\n        error = new\n    raise error"
    ),
    "raises a group": "def f(t):\n    raise BaseExceptionGroup('g', [KeyboardInterrupt(), SystemExit(0)])",
    "raises StopIteration": "def f(t):\n    raise StopIteration",
    "interrupts": "def f(t):\n    raise KeyboardInterrupt",
    "asserts": "def f(t):\n    assert False",
    # --- hangs; each has a time limit of two seconds
    "sleeps": "import time\ndef f(t):\n    time.sleep(600)",
    "spins": "def f(t):\n    while True:\n        pass",
    "sleeps on import": "import time\ntime.sleep(3)\ndef f(t):\n    time.sleep(600)",
    "waits for a lock": "import threading\ndef f(t):\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()",
    "waits for a FIFO": (
        "import os\ndef f(t):\n    if not os.path.exists('fifo'):\n        os.mkfifo('fifo')\n    open('fifo').read()"
    ),
    "a value that hangs": (
        "import time\nclass S(str):\n    def __str__(self):\n        time.sleep(600)\n    __repr__ = __str__\n"
        "class E(Exception):\n    __str__ = S.__str__\ndef f(t):\n    raise E"
    ),
    # --- what is asked about a target before it runs
    "lies about its form": (
        "from crowdproof.audit.targets.functions import Function\nFunction.fitting_form = lambda *_: {'a': ['polars']}\n"
        "def f(t):\n    raise TypeError"
    ),
    "lies about its forms": (
        "from crowdproof.audit.targets import binding\nbinding.likely_forms = lambda *_: ({},)\ndef f(t):\n    return 1"
    ),
    "raises for each attribute": (
        "class F:\n    def __getattr__(self, name):\n        raise SystemExit(0)\n"
        "    def __call__(self, t):\n        return 1\nf = F()"
    ),
    "an annotation that raises": (
        "class A:\n    def __hash__(self):\n        raise SystemExit(0)\ndef f(t: A()):\n    return 1"
    ),
    "forges its modules": "import sys\nsys.modules.clear()\ndef f(t):\n    return 1",
    # --- the channel
    "closes all files": "import os, time\ndef f(t):\n    os.closerange(0, 256)\n    return 1",
    "shuts the line": (
        "import os, socket\ndef f(t):\n    for n in range(3, 64):\n        try:\n"
        "            socket.socket(fileno=os.dup(n)).shutdown(2)\n        except OSError:\n            pass\n    return 1"
    ),
    "writes rubbish": (
        "import os\ndef f(t):\n    for n in range(3, 64):\n        try:\n            os.write(n, b'o' * 100)\n"
        "        except OSError:\n            pass\n    return 1"
    ),
    "tells of endless code": (
        "import os, struct\ndef f(t):\n    told = struct.pack('>c8sQ', b'l', b'12345678', 8) + b'[[], []]'\n"
        "    for n in range(3, 64):\n        try:\n            [os.write(n, told) for _ in range(500)]\n"
        "        except OSError:\n            pass\n    return 1"
    ),
    "announces a terabyte": (
        "import os, struct\ndef f(t):\n    for n in range(3, 64):\n        try:\n"
        "            os.write(n, struct.pack('>c8sQ', b'o', b'12345678', 1 << 40))\n"
        "        except OSError:\n            pass\n    return 1"
    ),
    "forks and returns": "import os\ndef f(t):\n    os.fork()\n    return 1",
    # --- no release
    "itself": "def f(t):\n    v = []\n    v.append(v)\n    return v",
    "a deep list": "def f(t):\n    v = []\n    for _ in range(100_000):\n        v = [v]\n    return v",
    "a module": "import os\ndef f(t):\n    return os",
    "a file": "def f(t):\n    return open(__file__)",
    "a huge decimal": "from decimal import Decimal\ndef f(t):\n    return Decimal('1E+999999999')",
    "an array of nothing": "import numpy as np\ndef f(t):\n    return np.broadcast_to(np.int8(1), (1 << 20, 1 << 20))",
    "a pickle": (
        "import os\nclass P:\n    def __reduce__(self):\n        return os._exit, (0,)\ndef f(t):\n    return P()"
    ),
    "a class": "class C:\n    pass\ndef f(t):\n    return C",
    "nothing": "def f(t):\n    return None",
    # --- limits of the system
    "allows no files": (
        "import resource\ndef f(t):\n    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\n    open(__file__)\n    return 1"
    ),
    "allows no time": (
        "import resource\ndef f(t):\n    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n    while True:\n        pass"
    ),
    "allows no memory": (
        "import resource\ndef f(t):\n    resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))\n"
        "    return len(bytearray(1 << 28))"
    ),
    "allows no files to grow": (
        "import resource, sys\ndef f(t):\n    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "    print('x' * 100_000, flush=True)\n    return 1"
    ),
}
"""Those of which nothing can be said."""

ANSWERING = {"command: that leaves a child": "command: sh -c 'sleep 600 & echo age'"}
"""A program that answers after all."""

PROGRAMS = {
    **ANSWERING,
    "command: that is not there": "command: ./nowhere {input}",
    "command: that hangs": "command: sleep 600",
    "command: without end": "command: sh -c 'head -c 3000000 /dev/zero'",
    "command: killed": "command: sh -c 'kill -9 $$'",
    "command: that kills its group": "command: sh -c 'kill -9 0'",
    "command: that prints a page": "command: echo '<html>::error::</html>'",
    "command: that links its output": "command: ln -s /dev/zero {output}",
    "lines: that is silent": "lines: sleep 600",
    "lines: without a line's end": "lines: sh -c 'while true; do printf x; done'",
    "lines: that talks": "lines: sh -c 'while true; do echo 1; done'",
    "lines: that is deep": 'lines: sh -c \'read x; head -c 100000 /dev/zero | tr "\\\\0" "["; echo\'',
    "lines: that ends": "lines: true",
    "http: nobody there": "http://127.0.0.1:9/x",
}
"""Targets of other kinds, by what they do: how they are written in the configuration."""
