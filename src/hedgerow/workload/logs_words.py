"""The vocabulary of the log records and of the rules that watch them. Products, companies and hosts are made up.

A word that stands several times in a row of choices is drawn that much more often.
"""

from __future__ import annotations

__all__ = [
    "COMPANIES",
    "EVENT_TYPES",
    "FLAGS",
    "FOLDERS",
    "INTEGRITIES",
    "KEYS",
    "NAMES",
    "OFFICE",
    "PATTERNS",
    "PEOPLE",
    "PORTS",
    "PROGRAMS",
    "SCRIPTS",
    "SUSPICIOUS",
    "ZONES",
    "name_of",
]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


EVENT_TYPES = (
    *("process_create", "process_create", "process_create", "process_create", "file_create", "file_create"),
    *("network_connect", "network_connect", "registry_set", "image_load", "dns_query", "logon", "service_install"),
)

PROGRAMS = _words(
    "powershell cmd wscript cscript mshta rundll32 regsvr32 certutil bitsadmin schtasks wmic msbuild installutil "
    "net net1 nltest whoami tasklist taskkill sc reg icacls attrib findstr robocopy xcopy curl tar ssh ftp python "
    "node java javaw git svchost explorer services lsass winlogon spoolsv msiexec setup update chrome firefox edge "
    "teams outlook winword excel powerpnt acrobat notepad calc mspaint vssadmin wbadmin bcdedit fsutil esentutl"
)
OFFICE = ("winword", "excel", "powerpnt", "outlook", "acrobat")
SUSPICIOUS = (
    *("powershell", "cmd", "wscript", "cscript", "mshta", "rundll32", "regsvr32", "certutil", "bitsadmin", "schtasks"),
    *("wmic", "msbuild", "installutil", "vssadmin", "bcdedit", "reg", "sc", "curl", "nltest", "esentutl"),
)

FOLDERS = (
    *("C:\\Windows\\System32", "C:\\Windows\\System32", "C:\\Windows\\System32", "C:\\Windows\\SysWOW64"),
    *("C:\\Program Files\\Fernhouse", "C:\\Program Files\\Ledgerly", "C:\\Program Files (x86)\\Tonearm"),
    *("C:\\Users\\Public", "C:\\Windows\\Temp", "C:\\ProgramData\\Tramline", "C:\\Tools", "D:\\Build\\out"),
    *("C:\\Users\\mara\\AppData\\Local\\Temp", "C:\\Users\\jon\\AppData\\Roaming\\Pixelforge", "C:\\Recovery"),
    *("C:\\Users\\ida\\Downloads", "C:\\$Recycle.Bin", "C:\\PerfLogs", "\\\\filer-2\\share\\tools"),
)
SCRIPTS = (".ps1", ".vbs", ".js", ".bat", ".dll", ".exe", ".tmp", ".hta", ".lnk", ".zip", ".docm", ".iso")
KEYS = (
    "HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Run",
    "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\RunOnce",
    "HKLM\\System\\CurrentControlSet\\Services",
    "HKLM\\Software\\Policies",
    "HKCU\\Environment",
)

FLAGS = (
    *("-nop", "-enc", "-w hidden", "-ExecutionPolicy Bypass", "-noninteractive", "IEX(", "DownloadString"),
    *("FromBase64String", "/create", "/sc minute", "/ru system", "process call create", "-urlcache", "-decode"),
    *("/transfer", "/priority high", "delete shadows", "recoveryenabled no", "/add", "/domain", "localgroup"),
    *("user /all", "/priv", "config start=", "save HKLM\\sam", "export HKLM", "scrobj", "javascript:", "/i:http"),
    *("-split", "/grant everyone:F", "+h +s", "--proxy", "-o StrictHostKeyChecking=no", "--upload-file"),
    *("Invoke-Command", "New-Object Net.WebClient", "Start-Process", "Set-MpPreference", "Get-Process"),
)
PATTERNS = (
    *(r"(?i)\s-e(nc|c)?\s+[a-z0-9+/=]{20,}", r"(?i)https?://\d+\.\d+\.\d+\.\d+/", r"(?i)\\[a-z]{8}\.(exe|dll)$"),
    *(r"(?i)\^[a-z]\^", r"(?i)/(create|change)\s.*system", r"(?i)[a-z0-9]{32}", r"(?i)net1?\s+(user|group)\s"),
)

PEOPLE = ("SYSTEM", "SYSTEM", "SYSTEM", "LOCAL SERVICE", "mara", "jon", "ida", "svc-backup", "svc-build", "admin")
INTEGRITIES = ("System", "System", "High", "Medium", "Medium", "Medium", "Low")
COMPANIES = ("Microsoft Corporation", "Microsoft Corporation", "Fernhouse", "Ledgerly", "Tonearm", "Pixelforge", "?")
ZONES = ("corp.example", "corp.example", "cdn.example", "update.example", "paste.example", "mail.example")
PORTS = (443, 443, 443, 80, 80, 53, 445, 22, 3389, 5985, 8080, 4444)

_FIRST = _words("amber brisk cedar delta ember fjord grove heath iris jade kite lunar maple north opal")
_SECOND = _words("anchor beacon comet drift engine falcon glider harbor island jacket kernel lantern magnet")
NAMES = len(_FIRST) * len(_SECOND) * 100


def name_of(number: int) -> str:
    """Return one of ``NAMES`` names of things that records and rules may tell of: files, services, sites.

    >>> NAMES, name_of(0), name_of(NAMES - 1)
    (19500, 'amberanchor0', 'opalmagnet99')
    """
    pair, digits = divmod(number % NAMES, 100)
    first, second = divmod(pair, len(_SECOND))
    return f"{_FIRST[first]}{_SECOND[second]}{digits}"
