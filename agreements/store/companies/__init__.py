"""Companies: their agreement, the people it covers, its managers, and the domains they have shown to be theirs. Stands on `people`."""
