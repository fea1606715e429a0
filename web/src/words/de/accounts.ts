import type { Words } from '../../lib/words.ts';

export const accounts: Words['accounts'] = {
  setup: {
    title: 'Mach es zu deinem',
    lead: 'Wähle den Namen und das Passwort, mit denen du dich anmeldest.',
    button: 'Lectern einrichten',
    noLink:
      'Öffne den Link, den Lectern in der Konsole ausgegeben hat: Der Teil nach dem # ist der Schlüssel.',
    gone: 'Der Link ist weg? Starte Lectern neu, dann gibt es einen neuen aus.',
  },
  waiting: {
    title: 'Fast fertig',
    lead: 'Dieses Lectern hat noch niemanden, dem es gehört. Öffne den Link, den es beim Start in der Konsole ausgegeben hat.',
  },
  login: {
    title: 'Willkommen zurück',
    button: 'Anmelden',
    again: 'Noch einmal anmelden',
    ended: 'Deine Sitzung ist abgelaufen. Melde dich an, dann geht es weiter, wo du warst.',
  },
  name: 'Name',
  password: 'Passwort',
  passwordHint: 'Mindestens acht Zeichen.',
  showPassword: 'Passwort zeigen',
};
