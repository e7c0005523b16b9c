"""A repository judged whole: policies, waivers and lists put to every dependency, for a night or for a pull request.

Flows and commands come in here, with a Repository; `audit.rules` judges each pair of licences.
"""
