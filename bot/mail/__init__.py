"""E-mail: what is due is written into the outbox, and a sender hands the outbox over to a mail server.

The app starts the sender and the campaigns; pages and flows write e-mails here.
"""
