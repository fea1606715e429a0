// Pictures for the demo content, drawn here so that none has to be kept or credited.

/** The same numbers each time, so that a picture does not change from one run to the next. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const svg = (width: number, height: number, body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${body}</svg>`;

export function shoreline(): string {
  const next = numbers(7);
  const bands = Array.from({ length: 9 }, (_, n) => {
    const y = 340 + n * 38;
    const wave = () => Math.round(y + (next() - 0.5) * 26);
    return `<path d="M0 ${wave()}C300 ${wave()} 500 ${wave()} 700 ${wave()}S1100 ${wave()} 1200 ${wave()}V675H0Z" fill="hsl(${205 - n * 18} ${22 + n}% ${64 - n * 3}%)"/>`;
  });
  return svg(
    1200,
    675,
    `<linearGradient id="a" x2="0" y2="1"><stop stop-color="#c9d6df"/><stop offset="1" stop-color="#f6e7d2"/></linearGradient>
    <path fill="url(#a)" d="M0 0h1200v675H0z"/><circle cx="830" cy="236" r="58" fill="#fff6e4"/>${bands.join('')}`,
  );
}

export function nightSky(): string {
  const next = numbers(41);
  const stars = Array.from({ length: 260 }, () => {
    const x = Math.round(next() * 1200);
    const y = Math.round(next() * 520);
    return `<circle cx="${x}" cy="${y}" r="${(0.4 + next() ** 4 * 2.4).toFixed(1)}" opacity="${(0.35 + next() * 0.65).toFixed(2)}"/>`;
  });
  return svg(
    1200,
    675,
    `<linearGradient id="a" x2="0" y2="1"><stop stop-color="#0d1526"/><stop offset="1" stop-color="#39455f"/></linearGradient>
    <path fill="url(#a)" d="M0 0h1200v675H0z"/><g fill="#fdf6e3">${stars.join('')}</g>
    <path fill="#10141d" d="M0 560C180 500 330 590 520 540S860 490 1200 575V675H0Z"/>`,
  );
}

export function specimen(): string {
  return svg(
    960,
    540,
    `<path fill="#f4efe4" d="M0 0h960v540H0z"/><path stroke="#b5482f" d="M60 372h840M60 214h840" opacity=".5"/>
    <text x="90" y="372" font-family="serif" font-size="300" fill="#2a2622" textLength="760">agQ</text>`,
  );
}
