import { Command, Option } from 'commander';
import { createToken } from '../accounts/tokens.ts';
import { Invalid, NotFound } from '../errors.ts';
import { type Scope, scopes, type User } from '../model/user.ts';
import type { Store } from '../store/store.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printRows, shortTime } from './table.ts';
import { getUser, getUserOrOwner } from './user.ts';

export function tokenCommand(runtime: Runtime): Command {
  const command = new Command('token').description(
    'Make, list and revoke tokens: passwords for programs and apps.',
  );

  command
    .command('create')
    .description('Make a token. Its secret is shown this once and kept only as a hash.')
    .requiredOption('--name <name>', 'what the token is for, such as "phone"')
    .addOption(new Option('--scope <scope>', 'what it may do').choices(scopes).makeOptionMandatory())
    .option('--user <name>', 'whose token it is (default: the owner)')
    .option('--json', 'print {id, name, scope, username, token}')
    .action(async (options: { name: string; scope: Scope; user?: string; json?: boolean }) => {
      const name = options.name.trim();
      if (!/^\P{Cc}{1,100}$/u.test(name)) {
        throw new Invalid('--name: expected 1 to 100 characters, none of them a control character');
      }
      const made = await withStore(runtime, async ({ accounts, store }) => {
        const user = await getUserOrOwner(store, options.user);
        return { user, ...(await createToken(accounts, user, { name, scope: options.scope })) };
      });
      const { token, secret, user } = made;
      runtime.stdout.write(
        options.json
          ? `${JSON.stringify({ id: token.id, name, scope: token.scope, username: user.username, token: secret }, null, 2)}\n`
          : `${secret}\n\nToken ${token.id} "${name}" of ${user.username} may ${token.scope}. Copy it now: it is not shown again.\n`,
      );
    });

  command
    .command('list')
    .description('List tokens, without their secrets.')
    .option('--user <name>', 'only this user')
    .option('--json', 'print the tokens as JSON')
    .action(async ({ user, json }: { user?: string; json?: boolean }) => {
      const rows = await withStore(runtime, async ({ store }) => {
        const users = user === undefined ? await store.users.list() : [await getUser(store, user)];
        return (await Promise.all(users.map((owner) => rowsOf(store, owner, json)))).flat();
      });
      printRows(runtime, rows, {
        json,
        empty:
          'There is no token yet. Make one with: lectern token create --name NAME --scope read|write|admin',
      });
    });

  command
    .command('revoke')
    .description('Revoke a token: whatever uses it is logged out at once.')
    .argument('<id>', 'the id that "token list" shows')
    .action(async (id: string) => {
      await withStore(runtime, ({ store }) => revoke(store, id));
      runtime.stdout.write(`Token ${id} is revoked.\n`);
    });

  return command;
}

async function revoke(store: Store, id: string): Promise<void> {
  for (const user of await store.users.list()) {
    const { tokens } = store.forUser(user.id);
    const found = (await tokens.list()).find((token) => String(token.id) === id);
    if (found) return tokens.delete(found.id);
  }
  throw new NotFound(`token ${id}`);
}

async function rowsOf(store: Store, user: User, json: boolean | undefined) {
  const tokens = await store.forUser(user.id).tokens.list();
  return tokens.map(({ id, name, scope, createdAt }) => ({
    id,
    username: user.username,
    name,
    scope,
    created: json ? new Date(createdAt).toISOString() : shortTime(createdAt),
  }));
}
