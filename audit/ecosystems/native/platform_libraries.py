"""What belongs to the system or the compiler on which a work is built and runs, by its names for linkers: no work brings it along."""

import re
from functools import lru_cache
from typing import Final

_SYSTEM: Final = frozenset({
    # the C library, whichever it is, and what other systems keep beside theirs
    "anl", "c", "crypt", "dl", "m", "mvec", "nsl", "pthread", "pthreads", "resolv", "rt", "thread_db", "util", "util-freebsd",
    "be", "c_r", "cposix", "dld", "execinfo", "gen", "inet", "kstat", "kvm", "lwp", "mach", "ossaudio", "ph", "posix1e", "phexlib", "tracker", "translation", "w", "winpthread", "watt", "network", "perfstat", "posix",
    "posix4", "procstat", "pstat", "root", "bind", "sec", "sendfile", "socket", "sun", "svld", "thread", "threads", "ucb", "xnet", "xpg4",
    "pset", "devstat", "devinfo", "nvpair",
    # of other systems: AIX, AmigaOS, DG/UX, FreeBSD, HP-UX, macOS, OSF/1, QNX, SCO, Solaris, UnixWare
    "s", "auto", "debug", "dgc", "elftc", "opie", "radius", "usbhid", "icucore", "sandbox", "aud", "security", "unix", "malloc", "iaf",
    "prot", "secpw", "bsm", "c89", "contract", "project", "scf", "xattr", "poll", "gnugetopt", "terminfo", "termlib", "nsl_s", "pacl", "crypt_d", "crypt_i", "mld", "pyr", "seq", "libcrypt", "libxcrypt", "xcrypt", "system", "put", "rld", "spt", "syslog", "floss",
    # the compiler's own
    "asan", "atomic", "c++", "c++abi", "c++experimental", "c++fs", "clang_rt", "compiler_rt", "fuzzer", "fuzzingengine", "gcc", "gcc_eh", "gcc_s", "gcov",
    "gfortran", "gnat", "gomp", "itm", "lsan", "objc", "omp", "iomp5", "profile_rt", "quadmath", "ssp", "ssp_nonshared",
    "stdc++", "stdc++fs", "supc++", "tsan", "ubsan", "cilkrts", "msan", "imf", "irc", "svml", "intlc",
    # parts of Android
    "android", "camera2ndk", "log", "nativewindow", "mediandk", "opensles",
    # import libraries of the Windows SDK, of MinGW and of Cygwin
    "advapi32", "avrt", "bcrypt", "cfgmgr32", "comctl32", "comdlg32", "crypt32", "d2d1", "d3d11", "d3d12", "d3d9", "d3dcompiler",
    "dbghelp", "dinput", "dinput8", "dnsapi", "dsound", "dwmapi", "dwrite", "dxgi", "dxguid", "dxva2", "evr", "gdi32", "gdiplus",
    "glu32", "hid", "imagehlp", "imm32", "iphlpapi", "kernel32", "ksuser", "mf", "mfplat", "mfreadwrite", "mfuuid", "mpr",
    "msimg32", "mswsock", "ncrypt", "netapi32", "normaliz", "ntdll", "ole32", "oleaut32", "opengl32", "pathcch", "pdh", "powrprof",
    "propsys", "psapi", "rpcrt4", "runtimeobject", "secur32", "setupapi", "shcore", "shell32", "shlwapi", "strmiids",
    "synchronization", "user32", "userenv", "usp10", "uxtheme", "version", "vfw32", "wbemuuid", "windowsapp",
    "windowscodecs", "winhttp", "wininet", "winmm", "winspool", "wintrust", "winusb", "wldap32", "ws2", "ws2_32", "wsock32", "wtsapi32",
    "xinput", "cabinet", "oldnames", "windowsphonecore", "phoneappmodelhost", "ntoskrnl", "hal", "bufferoverflowu", "credui", "d3dcompiler_47", "delayimp", "dhcpcsvc", "fwpuclnt", "ktmw32", "lz32", "mincore", "msacm32", "msi", "odbc32", "odbccp32", "onecore", "opends60", "quartz", "rasapi32", "resutils", "rpcns4", "sensapi", "snmpapi", "tbs", "urlmon", "virtdisk", "wevtapi", "wlanapi", "wsnmp32", "xaudio2", "mingw32", "mingwex", "moldname", "msvcrt", "msvcr100", "ucrt", "cygwin", "dos32a", "ddraw", "d3d10", "d3dx9", "activeds",
})  # fmt: skip
_VERSIONED: Final = re.compile(
    r"(?:msvcrt|msvcr|msvcp|msvcprt|vcruntime|ucrt|libcmt|libcpmt|libucrt|libvcruntime|concrt|vcomp|api-ms-[a-z0-9-]{1,60}|ext-ms-[a-z0-9-]{1,60})"
    r"[0-9_-]{0,8}d?(?:_static)?|(?:lib)?clang_rt[\w.-]{0,60}|stdc\+\+[\w.-]{0,20}|vcl|rtl|cw32(?:mt)?i?|import32"
)
"""The run-time libraries of Microsoft's and Borland's compilers, whichever version."""
_OF_TWO: Final = {
    "uuid": re.compile(
        r"(?i)(?:-l|(?<!\w))(?:ole32|oleaut32|kernel32|user32|gdi32|comctl32|comdlg32|ws2_32|wsock32|shell32|advapi32|winmm|mingw32)\b|-mwindows\b|mingw"
    ),
    "net": re.compile(r"-l(?:auto|nsl|socket)\b|-mcrt="),
    "x": re.compile(r"-l(?:prot|socket)\b"),
}
"""What other libraries are called, too: parts of a platform where others of its parts stand beside them."""
_FRAMEWORKS: Final = frozenset({
    "AVFoundation", "Accelerate", "AppKit", "ApplicationServices", "AudioToolbox", "AudioUnit", "CFNetwork", "Carbon", "Cocoa",
    "CoreAudio", "CoreBluetooth", "CoreFoundation", "CoreGraphics", "CoreHaptics", "CoreImage", "CoreLocation", "CoreMIDI", "CoreMedia",
    "CoreServices", "CoreText", "CoreVideo", "CoreWLAN", "DiskArbitration", "ForceFeedback", "Foundation", "GameController", "IOKit",
    "IOSurface", "ImageIO", "LocalAuthentication", "MediaPlayer", "Metal", "MetalKit", "OpenDirectory", "QuartzCore", "Security",
    "SystemConfiguration", "UIKit", "UniformTypeIdentifiers", "UserNotifications", "VideoToolbox", "WebKit",
})  # fmt: skip
"""Parts of Apple's systems, by the names under which builds look for them."""
_FRAMEWORKS_BY_OPTION: Final = frozenset({
    "AGL", "ARKit", "AVFAudio", "AVKit", "Accessibility", "Accounts", "AddressBook", "AppleScriptObjC", "AudioVideoBridging", "Automator",
    "CalendarStore", "CloudKit", "Collaboration", "ColorSync", "Combine", "Contacts", "ContactsUI", "CoreAudioKit", "CoreAudioTypes",
    "CoreData", "CoreML", "CoreMediaIO", "CoreMotion", "CoreSpotlight", "CoreTelephony", "CryptoTokenKit", "DVDPlayback",
    "DirectoryService", "DiscRecording", "DrawSprocket", "EventKit", "ExceptionHandling", "GLKit", "GLUT", "GSS", "GameKit",
    "GameplayKit", "HIToolbox", "Hypervisor", "ICADevices", "IMServicePlugIn", "IOBluetooth", "IOBluetoothUI", "ImageCaptureCore",
    "InputMethodKit", "InstantMessage", "JavaNativeFoundation", "JavaScriptCore", "JavaVM", "Kerberos", "Kernel", "LDAP",
    "LatentSemanticMapping", "MapKit", "MediaAccessibility", "MediaLibrary", "MediaToolbox", "Message", "MessageUI",
    "MetalPerformanceShaders", "MobileCoreServices", "ModelIO", "MultipeerConnectivity", "NaturalLanguage", "NetFS", "Network",
    "NetworkExtension", "NotificationCenter", "OSAKit", "OpenAL", "OpenCL", "OpenGL", "OpenGLES", "PCSC", "PassKit", "PencilKit",
    "Photos", "PhotosUI", "PreferencePanes", "PushKit", "QTKit", "Quartz", "QuickLook", "QuickTime", "ReplayKit", "SafariServices",
    "SceneKit", "ScreenCaptureKit", "ScreenSaver", "Scripting", "ScriptingBridge", "SecurityFoundation", "SecurityInterface",
    "ServiceManagement", "Social", "Speech", "SpriteKit", "StoreKit", "SwiftUI", "SyncServices", "System", "TWAIN",
    "VideoDecodeAcceleration", "Vision", "WatchKit", "vecLib", "vmnet",
})  # fmt: skip
"""More of them, which are others' libraries where no `-framework` stands before the name."""


def is_system(name: str, *beside: str) -> bool:
    """Whether `-lNAME` is a part of the system or the compiler; `beside` is what else is linked with it, and the file's path.

    `-luuid` is Windows' own beside `-lole32`, and another library elsewhere.
    """
    small = name.lower()
    if small in _SYSTEM or _VERSIONED.fullmatch(small):
        return True
    return small in _OF_TWO and any(_stands_beside(small, words) for words in beside)


@lru_cache(maxsize=64)
def _stands_beside(name: str, words: str) -> bool:
    """Whether parts of the platform stand in a line; asked for each library on it, and looked for once."""
    return _OF_TWO[name].search(words) is not None


def is_framework(name: str, *, by_option: bool = False) -> bool:
    """Whether a name is that of a part of Apple's systems; `by_option` says that `-framework` stands before it."""
    return name in _FRAMEWORKS or (by_option and name in _FRAMEWORKS_BY_OPTION)
