// Which Node runs Lectern, and which holes it is known to have. Depends on nothing: the launcher runs before anything is installed.

const minMajor = 26;
const maxAgeMs = 183 * 24 * 3_600_000;

/** Holes in Node that concern a server. Whoever changes the list sets `checkedOn` and `newest`, the newest release then. */
export const knownHoles = {
  checkedOn: '2026-11-18',
  newest: '26.12.1',
  holes: [
    {
      fixedIn: '26.12.1',
      name: 'CVE-2026-111497',
      effect: 'Its Brotli decoder writes out of bounds. Lectern does not use that decoder.',
    },
  ],
};

/** The running Node if it can run Lectern and is newer than the packaged one, else the packaged one; undefined if neither can. */
export function chooseNode(packaged, running) {
  const canRun = Number(running.version.split('.')[0]) >= minMajor;
  if (!packaged) return canRun ? running : undefined;
  return canRun && isOlder(packaged.version, running.version) ? running : packaged;
}

/** Sentences about the holes of a release, and about a list that is too old to know them. */
export function nodeWarnings(version, nowMs, known = knownHoles) {
  const warnings = known.holes
    .filter(({ fixedIn }) => isOlder(version, fixedIn))
    .map(
      ({ name, effect, fixedIn }) =>
        `Node ${version} has a known hole, ${name}. ${effect} Install Node ${fixedIn} or newer to close it.`,
    );
  const isListOld = nowMs - Date.parse(known.checkedOn) > maxAgeMs;
  if (isListOld && !isOlder(known.newest, version))
    warnings.push(
      `This version of Lectern knows the holes of Node as of ${known.checkedOn}, and Node ${version} is not newer. Update Lectern, or install a newer Node.`,
    );
  return warnings;
}

function isOlder(version, other) {
  const [a, b] = [version, other].map((each) => each.split('.').map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at] < b[at];
}
