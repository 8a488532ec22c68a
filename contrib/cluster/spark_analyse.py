"""Reviews the games of a PGN with Spark: a line of compact JSON for each game, in order.

    spark-submit contrib/cluster/spark_analyse.py hdfs:///games.pgn hdfs:///reviews --parts 640

No shared folder is needed: input and output are whatever Spark reads and writes. A partition whose
executor is lost is analysed again. The field `game` counts the games of its partition.
"""

import argparse
import subprocess

from pyspark.sql import SparkSession

# A game begins with this tag, at the start of the file or after an empty line.
FIRST_TAG = "[Event "


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games")
    parser.add_argument("output", help="a folder that does not exist yet")
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--nodes", type=int, default=50000, help="a position")
    parser.add_argument("--program", default="saavedra")
    arguments = parser.parse_args()

    def analyse(games):
        """Reviews the games of a partition."""
        text = "".join(game if game.startswith(FIRST_TAG) else FIRST_TAG + game for game in games)
        if not text:
            return []
        command = [arguments.program, "analyse", "-", "--nodes", str(arguments.nodes)]
        command += ["--threads", "1", "--shard", "1/1", "--format", "json", "--compact"]
        result = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE)
        if result.returncode not in (0, 3):  # 3: games with errors were left out; the log names them.
            raise RuntimeError(f"status {result.returncode}")
        return result.stdout.decode().splitlines()

    session = SparkSession.builder.appName("saavedra").getOrCreate()
    games = session.sparkContext.newAPIHadoopFile(
        arguments.games,
        "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
        "org.apache.hadoop.io.LongWritable",
        "org.apache.hadoop.io.Text",
        conf={"textinputformat.record.delimiter": "\n\n" + FIRST_TAG},
    ).values()
    count = games.count()
    numbered = games.zipWithIndex().map(lambda game: (game[1], game[0] + "\n\n"))
    part_of = lambda number: number * arguments.parts // count
    parts = numbered.repartitionAndSortWithinPartitions(arguments.parts, part_of).values()
    parts.mapPartitions(analyse).saveAsTextFile(arguments.output)
    session.stop()


if __name__ == "__main__":
    main()
