// Directus in as many processes as there are cores. `bootstrap` makes its own tables beside those
// that are there.
import cluster from "node:cluster";

const { PROCESSES } = process.env;

if (process.argv[2] === "bootstrap" || !cluster.isPrimary) {
  await import("@directus/api/cli/run.js");
} else {
  for (let started = 0; started < Number(PROCESSES); started += 1) cluster.fork();
}
