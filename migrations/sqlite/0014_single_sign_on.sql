-- Sign-ons that came back from the provider: each counts once. A row is of interest until its sign-on would be too old anyway.
CREATE TABLE used_sign_ons (
  id_sha256  TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_sign_ons_expiry ON used_sign_ons (expires_at);
