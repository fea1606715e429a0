// The name of who wrote something. Addresses are left out where there is a name: they are for machines that send mail.

const address = /[^\s<>()"]{1,100}@[^\s<>()"]{1,200}/;

/** `me@example.com (Jo Doe)`, `Jo Doe (me@example.com)`, `Jo Doe <me@example.com>`: Jo Doe. */
export function personName(text: string): string {
  const written = text.slice(0, 500).replace(/\s+/g, ' ').trim();
  const email = address.exec(written);
  if (!email) return written;
  const rest = (written.slice(0, email.index) + written.slice(email.index + email[0].length))
    .replace(/mailto:/i, '')
    .replace(/[<>]/g, '')
    .replace(/\(\s*\)/g, '')
    .trim();
  const name = (/^\((.*)\)$/.exec(rest)?.[1] ?? rest).replace(/^["',\s-]+|["',\s-]+$/g, '');
  return name || email[0].replace(/^mailto:/i, '');
}

export function joinNames(names: readonly string[]): string {
  return [...new Set(names.filter((name) => name !== ''))].slice(0, 20).join(', ');
}
