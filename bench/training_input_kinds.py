"""Kinds of trainings whose fault is in how samples are read and prepared, for training_kinds.py."""
import time

import numpy
import torch

from training_loop import BATCH, Samples, Training, compute_in_python


class SlowReads(Training):
    cause = 'data_starvation'

    def prepare(self):
        time.sleep(0.002)


class SlowTransform(Training):
    cause = 'data_starvation'

    def prepare(self):
        compute_in_python(20_000)


class FewWorkers(Training):
    cause, workers = 'data_starvation', 1

    def prepare(self):
        time.sleep(0.005)


class SlowCollate(Training):
    cause = 'data_starvation'

    def batches(self):
        def collate(items):
            if self.bad:
                compute_in_python(300_000)
            return torch.utils.data.default_collate(items)
        while True:
            yield from torch.utils.data.DataLoader(Samples(self.shape), BATCH, collate_fn=collate, drop_last=True)


class ShortEpochs(Training):
    """Workers start anew for each few batches."""
    cause = 'data_starvation'

    def batches(self):
        samples = Samples(self.shape, None, 3 * BATCH if self.bad else 4096)
        while True:
            yield from torch.utils.data.DataLoader(samples, BATCH, num_workers=1)


class OwnLoader(Training):
    """A generator of the program's own, that nothing marks."""
    cause = 'host_bound'

    def batches(self):
        samples = Samples(self.shape)
        while True:
            items = [samples[index] for index in range(BATCH)]
            if self.bad:
                time.sleep(0.02)
            yield torch.utils.data.default_collate(items)


class NamedLoader(OwnLoader):
    """The same in an annotation."""
    cause = 'data_starvation'

    def batches(self):
        plain = super().batches()
        while True:
            with torch.profiler.record_function('get_batch'):
                batch = next(plain)
            yield batch


class PreparedInLoop(Training):
    """Augmentation in Python, by NumPy, between loader and network."""
    cause = 'host_bound'

    def change(self, x):
        if not self.bad:
            return x
        values = x.numpy()
        for _ in range(24):
            values = numpy.real(numpy.fft.ifft(numpy.fft.fft(values))).astype(numpy.float32)
        return torch.from_numpy(values)
