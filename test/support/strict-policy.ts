// What a content security policy still lets through that could run something.

export function weaknessesOf(policy: string | null | undefined): string[] {
  if (!policy) return ['there is no policy'];
  const directives = new Map(
    policy.split(';').map((text) => {
      const [name = '', ...sources] = text.trim().split(/\s+/);
      return [name.toLowerCase(), sources] as const;
    }),
  );
  const found: string[] = [];
  const only = (name: string, allowed: readonly string[]) => {
    const sources = directives.get(name) ?? directives.get('default-src');
    if (!sources) found.push(`${name} is open`);
    for (const source of sources ?? []) {
      if (!allowed.includes(source)) found.push(`${name} allows ${source}`);
    }
  };
  only('default-src', ["'none'"]);
  only('script-src', ["'self'", "'none'"]);
  only('style-src', ["'self'", "'none'"]);
  only('object-src', ["'none'"]);
  only('frame-src', ["'self'", "'none'"]);
  only('connect-src', ["'self'", "'none'"]);
  only('worker-src', ["'self'", "'none'"]);
  if (directives.get('base-uri')?.join() !== "'none'") found.push('base-uri is open');
  for (const name of ['form-action', 'frame-ancestors']) {
    if (!/^'(?:none|self)'$/.test(directives.get(name)?.join() ?? '')) found.push(`${name} is open`);
  }
  if (/unsafe-|wasm-|'nonce-|'sha\d/.test(policy)) found.push(`it makes an exception: ${policy}`);
  return found;
}
