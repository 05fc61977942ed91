"""explaining: why documents stand where they do."""
# SPDX-License-Identifier: ISC

import asyncio
import io

import rankpipe


class Explainer:
    """Asks bin2txt -f why, for one ranking at a time."""

    WAITING = 20  # rankings at most

    def __init__(self, model, seconds):
        self.model, self.seconds, self.turn, self.waiting = model, seconds, None, 0

    async def run(self, sent, ranking, names):
        """The parts of the scores of a ranking, document by document, of the round that was sent to serve. Raises Error:
        also where the model was replaced in the meantime."""
        self.turn = self.turn or asyncio.Lock()
        if self.waiting >= self.WAITING:
            raise rankpipe.Error("too many explanations at a time")
        self.waiting += 1
        try:
            async with self.turn:
                return await asyncio.wait_for(self._explain(sent, ranking, names), self.seconds)
        except (OSError, asyncio.TimeoutError) as error:
            raise rankpipe.Error("no explanation: %s" % (error or "it takes too long")) from None
        finally:
            self.waiting -= 1

    async def _explain(self, sent, ranking, names):
        [round_] = rankpipe.read(io.BytesIO(sent + b"rankpipe/1 end rounds=1 bytes=0\n"))
        scores = dict(zip(ranking.order, ranking.scores))
        round_["score"], round_["order"] = [scores[i] for i in range(len(scores))], ranking.order
        stream = io.BytesIO()
        with rankpipe.Writer(stream) as out:
            out.write(round_)
        said = await self._run("bin2txt", "-f", "why", self.model, data=stream.getvalue())
        parts = []
        for line in said.decode("utf-8", "replace").splitlines():
            _, _, _, part, what, value = line.split("\t")
            if part == "score":
                i = ranking.order[len(parts)]
                parts.append({"document": names[i] if names else i, "score": float(value), "features": {}})
            elif part == "feature":
                parts[-1]["features"][what] = float(value)
            elif part == "position":
                parts[-1]["judged"] = what == "judged"
            else:
                parts[-1][part] = float(value)
            if part == "remembered":
                parts[-1]["answers"] = float(what)
        return parts

    async def _run(self, *words, data):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            said, wrong = await process.communicate(data)
        except BaseException:
            process.kill()
            raise
        if process.returncode:
            raise rankpipe.Error(wrong.decode("utf-8", "replace").strip())
        return said
