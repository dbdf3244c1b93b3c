"""What people see of a run of ``toolproto parse``: the work itself is in ``toolproto/bulk``.

==============  ===================================================================================
``bar.py``      how far it is, while it runs
``shown.py``    one reply
``summary.py``  what many came to
==============  ===================================================================================
"""
