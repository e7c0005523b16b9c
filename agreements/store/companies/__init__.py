"""Companies: their agreement, whom it covers, who manages it, and the domains they have shown to be theirs. Stands on people."""
