import { Command } from 'commander';
import { forgetAttempts } from '../accounts/login.ts';
import { parseUsername } from '../accounts/username.ts';
import { addUser, setDisabled, setPassword } from '../accounts/users.ts';
import { Invalid, NotFound } from '../errors.ts';
import type { User } from '../model/user.ts';
import type { Store } from '../store/store.ts';
import { askPassword } from './ask-password.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printRows, shortTime } from './table.ts';

export function userCommand(runtime: Runtime): Command {
  const command = new Command('user').description(
    'Add, list, disable and enable users, set their passwords.',
  );

  command
    .command('add')
    .description('Add a user. The first user is the owner, who operates this Lectern; others are members.')
    .argument('<name>', 'what the user logs in with')
    .option('--password-stdin', 'read the password from standard input instead of asking for it')
    .option('--json', 'print the user as JSON')
    .action(async (name: string, options: { passwordStdin?: boolean; json?: boolean }) => {
      const username = parseUsername(name);
      const password = await askPassword(runtime, options);
      const user = await withStore(runtime, ({ accounts }) => addUser(accounts, { username, password }));
      runtime.stdout.write(
        options.json
          ? `${JSON.stringify({ id: user.id, username: user.username, role: user.role }, null, 2)}\n`
          : `Added ${user.username} as ${user.role}.\n`,
      );
    });

  command
    .command('list')
    .description('List the users.')
    .option('--json', 'print the users as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { users, linked } = await withStore(runtime, async ({ store }) => ({
        users: await store.users.list(),
        linked: await store.users.idsWithSignOn(),
      }));
      const rows = users.map(({ id, username, role, createdAt, disabledAt }) => ({
        id,
        username,
        role,
        disabled: disabledAt === undefined ? 'no' : 'yes',
        single_sign_on: linked.has(id) ? 'yes' : 'no',
        created: json ? new Date(createdAt).toISOString() : shortTime(createdAt),
      }));
      printRows(runtime, rows, {
        json,
        empty: 'There is no user yet. Add the first with: lectern user add NAME',
      });
    });

  command
    .command('password')
    .description("Set a user's password. Every session of that user ends; a member's tokens are revoked.")
    .argument('<name>', 'whose password')
    .option('--password-stdin', 'read the password from standard input instead of asking for it')
    .option('--keep-tokens', 'leave the tokens of a member valid')
    .action(async (name: string, options: { passwordStdin?: boolean; keepTokens?: boolean }) => {
      const password = await askPassword(runtime, options);
      const revoked = await withStore(runtime, async ({ accounts, store }) => {
        const user = await getUser(store, name);
        const revokeTokens = user.role === 'member' && !options.keepTokens;
        const n = await setPassword(accounts, user, password, { revokeTokens });
        await forgetAttempts(accounts, user);
        return n;
      });
      runtime.stdout.write(
        `The password is set, and every session of that user has ended. Tokens revoked: ${revoked}.\n`,
      );
    });

  command
    .command('disable')
    .description(
      'Lock a member out: sessions end, tokens are refused, feeds are not fetched. Nothing is deleted.',
    )
    .argument('<name>', 'which member')
    .action(async (name: string) => {
      const user = await withStore(runtime, async ({ accounts, store }) =>
        setDisabled(accounts, (await getUser(store, name)).id, true),
      );
      runtime.stdout.write(`${user.username} is disabled. To undo: lectern user enable ${user.username}\n`);
    });

  command
    .command('enable')
    .description('Let a disabled member in again. Their tokens work again.')
    .argument('<name>', 'which member')
    .action(async (name: string) => {
      const user = await withStore(runtime, async ({ accounts, store }) =>
        setDisabled(accounts, (await getUser(store, name)).id, false),
      );
      runtime.stdout.write(`${user.username} is enabled.\n`);
    });

  return command;
}

/** Who is meant by `--user NAME`, and without it. */
export async function getUserOrOwner(store: Store, name: string | undefined): Promise<User> {
  if (name !== undefined) return getUser(store, name);
  const owner = await store.users.findOwner();
  if (!owner) throw new Invalid('there is no user yet: add the first with "lectern user add NAME"');
  return owner;
}

export async function getUser(store: Store, name: string): Promise<User> {
  const user = await store.users.findByName(parseUsername(name));
  if (!user) throw new NotFound(`user "${name}"`);
  return user;
}
