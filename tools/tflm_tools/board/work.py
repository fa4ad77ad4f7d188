# tflm_tools: board: Work: what several boards share, one item after the other
# MIT license; Copyright (c) 2026 the tflm authors

import threading
from collections import deque


class Work:
    """Items that threads take, give back and finish; `results` are in the order of items.

    progress: a function (done, total), called by one thread at a time.
    """

    def __init__(self, items, progress):
        self.results = [None] * len(items)
        self._left = deque(enumerate(items))
        self._done, self._taken = 0, 0
        self._change = threading.Condition()
        self._progress = progress
        self._stopped = False

    def take(self):
        """The next (place, item); None when all is done, or given up. It waits while items that
        others have may come back."""
        with self._change:
            while not self._left and self._taken and not self._stopped:
                self._change.wait(0.1)
            if not self._left or self._stopped:
                return None
            self._taken += 1
            return self._left.popleft()

    def give_back(self, taken):
        """What was not done is for somebody else."""
        with self._change:
            self._taken -= 1
            self._left.appendleft(taken)
            self._change.notify_all()

    def finish(self, taken, result):
        """Note the result of what take() gave."""
        with self._change:
            self._taken -= 1
            self._done += 1
            self.results[taken[0]] = result
            if self._progress is not None:
                self._progress(self._done, len(self.results))
            self._change.notify_all()

    def stop(self):
        """Nobody takes any more."""
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def is_done(self):
        """True when each item has a result."""
        return self._done == len(self.results)

    def is_over(self):
        """True when nothing is left to do, or it was stopped."""
        return self._stopped or self.is_done()
