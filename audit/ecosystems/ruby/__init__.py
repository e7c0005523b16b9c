"""Files of Bundler and RubyGems: Gemfile, Gemfile.lock and gemspecs.

Only `audit.ecosystems` comes in, by the `read` of each module.
"""
