"""The games that have an oracle, by name."""

from tests.oracle.africana_table import AfricanaTable
from tests.oracle.compare import Table
from tests.oracle.zimbabwe_table import ZimbabweTable

TABLES: dict[str, type[Table]] = {"zimbabwe": ZimbabweTable, "africana": AfricanaTable}
