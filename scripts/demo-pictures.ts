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

export function spines(): string {
  const next = numbers(19);
  let x = 40;
  const books: string[] = [];
  while (x < 1120) {
    const width = 34 + Math.round(next() * 54);
    const height = 360 + Math.round(next() * 190);
    const hue = [18, 32, 45, 160, 205, 350][Math.floor(next() * 6)];
    books.push(
      `<path fill="hsl(${hue} ${18 + Math.round(next() * 30)}% ${28 + Math.round(next() * 38)}%)" d="M${x} ${690 - height}h${width}v${height}h-${width}z"/><path stroke="#f3e7cf" stroke-width="3" opacity=".55" d="M${x + 6} ${720 - height}h${width - 12}M${x + 6} ${650}h${width - 12}"/>`,
    );
    x += width + 3;
  }
  return svg(
    1200,
    800,
    `<path fill="#e9dfcb" d="M0 0h1200v800H0z"/>${books.join('')}<path fill="#8a6f4d" d="M0 690h1200v26H0z"/><path fill="#cbbd9f" d="M0 716h1200v84H0z"/>`,
  );
}

export function bread(): string {
  const next = numbers(5);
  const flour = Array.from({ length: 140 }, () => {
    const x = Math.round(next() * 1200);
    return `<circle cx="${x}" cy="${Math.round(520 + next() * 260)}" r="${(1 + next() * 4).toFixed(1)}"/>`;
  });
  const cuts = [-210, -105, 0, 105, 210].map(
    (dx) => `<path d="M${570 + dx} 330q46 66 12 150" stroke="#f3dcb2" stroke-width="17" fill="none"/>`,
  );
  return svg(
    1200,
    800,
    `<path fill="#d9c7aa" d="M0 0h1200v800H0z"/><path fill="#a98a63" d="M0 500h1200v300H0z"/><g fill="#fff8ea" opacity=".7">${flour.join('')}</g>
    <ellipse cx="600" cy="575" rx="400" ry="44" fill="#5c4326" opacity=".35"/><path fill="#b8763a" d="M205 500c0-150 180-215 395-215s395 65 395 215c0 62-110 84-395 84s-395-22-395-84z"/>${cuts.join('')}`,
  );
}

export function garden(): string {
  const next = numbers(33);
  const leaves = Array.from({ length: 220 }, () => {
    const turn = next() * Math.PI * 2;
    const far = Math.sqrt(next()) * 250;
    const x = Math.round(600 + Math.cos(turn) * far * 1.25);
    const y = Math.round(300 + Math.sin(turn) * far * 0.8);
    return `<circle cx="${x}" cy="${y}" r="${Math.round(16 + next() * 22)}" fill="hsl(${88 + Math.round(next() * 40)} 32% ${30 + Math.round(next() * 22)}%)"/>`;
  });
  const apples = Array.from({ length: 16 }, () => {
    const x = Math.round(350 + next() * 500);
    return `<circle cx="${x}" cy="${Math.round(160 + next() * 290)}" r="13" fill="#b8412f"/>`;
  });
  return svg(
    1200,
    800,
    `<path fill="#dfe7e4" d="M0 0h1200v800H0z"/><path fill="#8d8a83" d="M0 610h1200v190H0z"/><path fill="#a5a29a" d="M0 610h1200v34H0z"/>
    <path fill="#5f4a35" d="M575 430h50l16 190h-82z"/>${leaves.join('')}${apples.join('')}`,
  );
}

export function lighthouse(): string {
  return svg(
    1200,
    800,
    `<linearGradient id="a" x2="0" y2="1"><stop stop-color="#31435c"/><stop offset="1" stop-color="#d9a27c"/></linearGradient>
    <path fill="url(#a)" d="M0 0h1200v800H0z"/><path fill="#ffeec2" opacity=".3" d="M640 215L0 60v220zM640 215l560-130v240z"/>
    <path fill="#efe6d6" d="M596 250h88l34 400H562z"/><path fill="#a8412f" d="M590 330h100l9 90H581zM574 500h132l9 90H566z"/>
    <path fill="#232a33" d="M604 180h72v70h-72z"/><circle cx="640" cy="215" r="22" fill="#ffe9a8"/>
    <path fill="#232a33" d="M0 650C260 600 420 690 640 640S1000 610 1200 668V800H0Z"/>`,
  );
}

export function rooftops(): string {
  const next = numbers(71);
  const rows = [0, 1, 2, 3].map((row) => {
    let x = -40;
    const houses: string[] = [];
    while (x < 1240) {
      const width = 90 + Math.round(next() * 110);
      const top = 300 + row * 110 - Math.round(next() * 90);
      houses.push(
        `<path d="M${x} 800V${top}l${width / 2}-${30 + Math.round(next() * 40)} ${width / 2} ${30}V800z"/>`,
      );
      x += width;
    }
    return `<g fill="hsl(${222 - row * 6} ${22 + row * 3}% ${46 - row * 9}%)">${houses.join('')}</g>`;
  });
  return svg(
    1200,
    800,
    `<linearGradient id="a" x2="0" y2="1"><stop stop-color="#8fa6bd"/><stop offset="1" stop-color="#f2d3b3"/></linearGradient>
    <path fill="url(#a)" d="M0 0h1200v800H0z"/><circle cx="300" cy="230" r="46" fill="#fff3dc"/>${rows.join('')}`,
  );
}
