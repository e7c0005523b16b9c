"""Headers of the Linux kernel in C and C++ sources: the user-space ones carry the syscall note, kernel code has none."""

import re
from collections.abc import Sequence
from typing import Final

from audit.ecosystems.parsed_file import ParsedFile, nearest
from audit.facts import Dependency, Learned, Place, Source, Usage

# The kernel's LICENSES/exceptions/Linux-syscall-note.
USER_SPACE_HEADERS_LICENSE: Final = "GPL-2.0-only WITH Linux-syscall-note"
KERNEL_LICENSE: Final = "GPL-2.0-only"
PURL: Final = "pkg:generic/linux"
_INCLUDE: Final = re.compile(
    r"^[ \t]*+#[ \t]*+include[ \t]*+<((?:uapi/)?(?:linux|asm|asm-generic)/[A-Za-z0-9_./-]++)>", re.MULTILINE
)
_MODULE: Final = re.compile(r"^[ \t]*+MODULE_LICENSE[ \t]*+\(", re.MULTILINE)  # Only modules call it.
_OBJECTS: Final = re.compile(
    r"^[ \t]*+(?:obj-[my]|obj-\$\(CONFIG_\w++\)|ccflags-[my])[ \t]*+[:+]?=|/lib/modules/[^\n]{1,80}/build\b",
    re.MULTILINE,
)
# Used inside the kernel: who includes one is taken for kernel code. None is exported to user space, as `module.h` is.
_INSIDE: Final = frozenset({
    "moduleparam", "init", "slab", "kthread", "interrupt", "workqueue", "mutex", "spinlock", "gfp", "mm",
    "vmalloc", "device", "platform_device", "cdev", "uaccess", "of", "of_device", "kobject", "list", "rcupdate",
    "completion", "delay", "jiffies", "atomic", "dma-mapping", "irq", "clk", "regmap", "gpio/consumer",
    "proc_fs", "seq_file", "debugfs", "notifier", "semaphore", "kref", "skbuff", "etherdevice", "highmem", "printk",
    "export", "bitops", "err", "io", "pm_runtime",
})  # fmt: skip


def read(path: str, content: str) -> ParsedFile:
    """The first kernel header that a source includes, and whether the source is kernel code by its own words."""
    include = _INCLUDE.search(content)
    module = _MODULE.search(content)
    if include is None:
        return ParsedFile(kernel=module is not None)
    names = ((match, match[1].removeprefix("uapi/").partition("/")[2]) for match in _INCLUDE.finditer(content))
    inside = next((match for match, name in names if name.removesuffix(".h") in _INSIDE), None)
    # The header that decides is shown, and not the first.
    shown = inside or include
    place = Place(path, content.count("\n", 0, shown.start(1)) + 1, f"#include <{shown[1]}>")
    dependency = _linux([place], is_kernel=False)
    return ParsedFile(dependencies=(dependency,), kernel=module is not None or inside is not None)


def _linux(places: Sequence[Place], *, is_kernel: bool) -> Dependency:
    """The kernel's user-space interface; or, for a module of it, the kernel itself, without the note."""
    if is_kernel:
        how, spdx = Usage.STATIC_LINK, KERNEL_LICENSE
        why = "kernel code: headers from inside the kernel, Kbuild or MODULE_LICENSE"
    else:
        how, spdx = Usage.HEADER_ONLY, USER_SPACE_HEADERS_LICENSE
        why = "#include of headers that the kernel exports to user space"
    said = Learned(spdx, Source.METADATA, places[0])
    # The kernel is in no registry, so its package URL is generic.
    return Dependency(name="linux", purl=PURL, usage=how, why=why, license=said, places=tuple(places), direct=True)


def read_build(path: str, content: str) -> ParsedFile:
    """Kbuild, and a Makefile that lists `obj-m` or calls the kernel's build: its folder is kernel code."""
    return ParsedFile(kernel=path.rpartition("/")[2] == "Kbuild" or _OBJECTS.search(content) is not None)


def settle(includes: list[Dependency], folders: frozenset[str], files: frozenset[str]) -> list[Dependency]:
    """One dependency for all user-space sources and one for all kernel code; `folders` and `files` hold kernel code."""
    outside: list[Place] = []
    inside: list[Place] = []
    for include in includes:
        for place in include.places:
            # Sources beside a module's are built with it.
            is_kernel = place.path in files or nearest(place.path.rpartition("/")[0], folders) is not None
            (inside if is_kernel else outside).append(place)
    return [_linux(places, is_kernel=places is inside) for places in (outside, inside) if places]
