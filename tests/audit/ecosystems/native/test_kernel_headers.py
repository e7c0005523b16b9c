"""Headers of the kernel: from user space with the note, in kernel code without it."""

import pytest

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, merge
from tests.audit.ecosystems.brief import merged

SPACE = "pkg:generic/linux header-only direct :1 GPL-2.0-only WITH Linux-syscall-note"
KERNEL = "pkg:generic/linux static-link direct :1 GPL-2.0-only"
INCLUDE = "#include <linux/if_tun.h>\n"

CASES = [
    ({"a.c": INCLUDE}, [SPACE]),
    ({"a.c": "# include <asm/ioctl.h>\n"}, [SPACE]),
    ({"a.h": "#include <uapi/linux/x.h>\n"}, [SPACE]),
    ({"a.c": '#include "linux/own.h"\n// #include <linux/x.h>\n'}, []),
    ({"a.c": f'{INCLUDE}MODULE_LICENSE("GPL");\n'}, [KERNEL]),
    ({"a.c": "#include <linux/slab.h>\n"}, [KERNEL]),
    ({"a.c": "#include <linux/module.h>\n"}, [SPACE]),
    ({"a.c": "#include <uapi/linux/module.h>\n"}, [SPACE]),
    ({"a.c": '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n'}, [KERNEL]),
    ({"a.c": "#include <linux/init.h>\n#include <linux/module.h>\n"}, [KERNEL]),
    ({"drv/a.c": "#include <linux/module.h>\n", "drv/Kbuild": ""}, [KERNEL]),
    ({"drv/a.c": INCLUDE, "drv/Kbuild": "obj-m += a.o\n"}, [KERNEL]),
    ({"drv/sub/a.c": INCLUDE, "drv/Makefile": "obj-$(CONFIG_A) += a.o\n"}, [KERNEL]),
    ({"drv/a.c": INCLUDE, "drv/Makefile": "all:\n\tmake -C /lib/modules/$(shell uname -r)/build M=$(PWD)\n"}, [KERNEL]),
    ({"a.c": INCLUDE, "Makefile": "MODLIB = $(ROOT)/lib/modules/$(VERSION)\n"}, [SPACE]),
    ({"drv/a.c": INCLUDE, "drv/Makefile": "all:\n\tcc a.c\n"}, [SPACE]),
    ({"drv/a.c": INCLUDE, "drv/b.c": 'MODULE_LICENSE("GPL");\n', "tool/c.c": INCLUDE}, [SPACE, KERNEL]),
]


@pytest.mark.parametrize(("files", "expected"), CASES, ids=lambda value: str(list(value))[:50])
def test_kernel_headers_are_one_dependency_for_user_space_and_one_for_the_kernel(files, expected):
    assert merged(files) == expected


def test_at_most_fifty_places_of_kernel_headers_are_kept():
    sources = [DependencyFile(f"{n}.c", "linux", ecosystems.read(f"{n}.c", INCLUDE)) for n in range(200)]

    assert [len(dependency.places) for dependency in merge(sources)[0]] == [50]
