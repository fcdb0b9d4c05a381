"""Programs for those who work on Zim. `ls` shows the programs; their code is in packages, each with a README."""
