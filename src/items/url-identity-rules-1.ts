// Rules 1 for which addresses are the same page. There are items with keys by them, so nothing here may ever change.

const tracking =
  /^(utm_.+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|mkt_tok|vero_id|oly_anon_id|oly_enc_id)$/i;

export function pageByRules1(url: URL): string {
  const pairs = [...url.searchParams].filter(([name]) => !tracking.test(name));
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const query = new URLSearchParams(pairs).toString();
  const path = url.pathname.replace(/\/+$/, '');
  const fragment = /^#!?\//.test(url.hash) ? url.hash : '';
  const host = url.host.replace(/\.(?=:|$)/, '');
  return `${host}${path}${query && `?${query}`}${fragment}`;
}
