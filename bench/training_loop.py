"""Networks, samples and the loop of the trainings of training_kinds.py: knows nothing of takt."""
import os

import torch
from torch.nn import functional

BATCH = 16


class Cnn(torch.nn.Module):
    shape = (3, 32, 32)

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, stride=2, padding=1),
            torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        self.head = torch.nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.layers(x))


class Mlp(torch.nn.Module):
    shape = (784,)

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(784, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024), torch.nn.ReLU())
        self.head = torch.nn.Linear(1024, 10)

    def forward(self, x):
        return self.head(self.layers(x))


class Encoder(torch.nn.Module):
    shape = (32, 64)

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 256, batch_first=True), 3)
        self.head = torch.nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.layers(x).mean(1))


class Recurrent(torch.nn.Module):
    shape = (40, 64)

    def __init__(self):
        super().__init__()
        self.layers, self.head = torch.nn.LSTM(64, 128, 2, batch_first=True), torch.nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.layers(x)[0][:, -1])


MODELS = {'cnn': Cnn, 'mlp': Mlp, 'encoder': Encoder, 'lstm': Recurrent}


class Samples(torch.utils.data.Dataset):
    """Samples that are there, after what `prepare` does to each."""

    def __init__(self, shape, prepare=None, count=4096):
        self.all, self.prepare, self.count = torch.randn(64, *shape), prepare, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.prepare:
            self.prepare()
        return self.all[index % 64], index % 10


class Training:
    """A loop as people write it; a kind puts its fault into one of the methods, `self.bad` says whether."""
    cause, priced, workers = '', True, 0

    def __init__(self, model, bad, folder):
        torch.manual_seed(1)
        self.bad, self.folder, self.number = bad, folder, 0
        self.model = self.network(model)
        self.shape = MODELS[model].shape
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-3)

    def network(self, name):
        return MODELS[name]()

    def prepare(self):
        """What is done to each sample in the loader."""

    def batches(self):
        prepare = self.prepare if self.bad else None
        while True:
            yield from torch.utils.data.DataLoader(Samples(self.shape, prepare), BATCH, num_workers=self.workers, drop_last=True)

    def change(self, x):
        return x

    def loss(self, x, y):
        return functional.cross_entropy(self.model(x), y)

    def learn(self, x, y):
        self.optimizer.zero_grad()
        loss = self.loss(x, y)
        loss.backward()
        self.optimizer.step()
        return loss

    def after(self, loss):
        """What is done at the end of each step."""

    def run(self, steps, each):
        batches = self.batches()
        for _ in range(steps):
            x, y = next(batches)
            loss = self.learn(self.change(x), y)
            if self.bad:
                self.after(loss)
            self.number += 1
            each()
        batches.close()


def compute_in_python(rounds):
    total = 0
    for number in range(rounds):
        total += number * number
    return total


def write_through(file, text):
    file.write(text)
    file.flush()
    os.fsync(file.fileno())
