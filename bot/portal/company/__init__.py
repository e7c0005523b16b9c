"""Pages of companies: their request, their domains and people, their staff."""
