"""Build files of C and C++: CMake, Conan, Meson, Bazel, git submodules, and headers of the Linux kernel.

The table of `audit.ecosystems` comes in here.
"""
