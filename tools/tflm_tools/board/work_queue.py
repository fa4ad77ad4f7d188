# tflm_tools: board: a queue of items that the threads of several boards share
# MIT license; Copyright (c) 2026 the tflm authors

import threading
from collections import deque


class WorkQueue:
    """Items that threads take, give back and finish; `results` are in the order of the items.

    progress: a function (done, total) or None, called by one thread at a time.
    """

    def __init__(self, items, progress):
        self.results = [None] * len(items)
        self._left = deque(enumerate(items))
        self._done, self._taken = 0, 0
        self._change = threading.Condition()
        self._progress = progress
        self._stopped = False

    def take(self):
        """Return the next (index, item), or None when no item is left or stop() was called.

        Waits while other threads have items that they may give back.
        """
        with self._change:
            while not self._left and self._taken and not self._stopped:
                self._change.wait(0.1)
            if not self._left or self._stopped:
                return None
            self._taken += 1
            return self._left.popleft()

    def give_back(self, taken):
        """Return an item to the queue, for another thread."""
        with self._change:
            self._taken -= 1
            self._left.appendleft(taken)
            self._change.notify_all()

    def finish(self, taken, result):
        """Store the result of an item; `taken` is the result of take()."""
        with self._change:
            self._taken -= 1
            self._done += 1
            self.results[taken[0]] = result
            if self._progress is not None:
                self._progress(self._done, len(self.results))
            self._change.notify_all()

    def stop(self):
        """Make take() return None from now on."""
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def is_done(self):
        """Return whether each item has a result."""
        return self._done == len(self.results)

    def is_over(self):
        """Return whether all items are done or stop() was called."""
        return self._stopped or self.is_done()
