"""Which hosts Zim may reach without encryption: this machine, and hosts of a private network."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")
"""Names and addresses of this machine."""
PRIVATE_NETWORKS = tuple(
    ip_network(network)
    for network in (
        *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
        *("::1/128", "fc00::/7", "fe80::/10"),
    )
)
"""Networks that the internet can't reach (RFC 1918, 3927, 4193, 4291).

`ip_address.is_private` covers more, among them Teredo (2001::/32), which goes through the internet.
"""


def is_private(host: str) -> bool:
    """Whether a host is an address of a private network, which the internet can't reach.

    A host name is never private: the address behind it may change.

    >>> [is_private(host) for host in ("192.168.1.5", "fd00::5", "8.8.8.8", "::ffff:8.8.8.8", "zim.local")]
    [True, True, False, False, False]
    >>> is_private("2001:0:4136:e378:8000:63bf:3fff:fdd2")
    False
    """
    try:
        address = ip_address(host)
    except ValueError:
        return False
    plain_address = getattr(address, "ipv4_mapped", None) or address
    return any(plain_address in network for network in PRIVATE_NETWORKS)


def host_of(url: str) -> str:
    """The host in a URL, in lower case; "" if there is none.

    >>> host_of("http://LOCALHOST:8321/join"), host_of("http://[::1]:8321"), host_of("http://[::1")
    ('localhost', '::1', '')
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_this_machine(url: str) -> bool:
    """Whether a URL leads to this machine.

    >>> [is_this_machine(url) for url in ("http://127.0.0.1:8321", "http://localhost.example", "http://10.0.0.7")]
    [True, False, False]
    """
    return host_of(url) in LOOPBACK_HOSTS
