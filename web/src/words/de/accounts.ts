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
  signOn: {
    or: 'oder',
    button: 'Mit Single Sign-on anmelden',
    inOtherTab: 'In einem anderen Tab mit Single Sign-on anmelden',
    problems: {
      denied: 'Die Anmeldung wurde abgebrochen.',
      expired:
        'Diese Anmeldung hat zu lange gedauert oder in einem anderen Browser begonnen. Versuche es noch einmal.',
      failed:
        'Die Antwort des Anmeldedienstes hält der Prüfung nicht stand, darum kam niemand herein. Versuche es noch einmal; was falsch war, steht im Log dieses Lectern.',
      unreachable: 'Der Anmeldedienst ist gerade nicht erreichbar. Versuche es in einer Minute wieder.',
      'not-allowed':
        'Der Anmeldedienst kennt dich, aber du stehst nicht auf der Liste dieses Lectern. Bitte darum, dass man dich einträgt.',
      'account-exists':
        'Dein Name gehört hier schon zu einem Konto. Melde dich mit dessen Passwort an und verknüpfe es dann in den Einstellungen.',
      'setup-first':
        'Dieses Lectern braucht zuerst jemanden, dem es gehört. Öffne den Link aus der Konsole und melde dich dann an.',
      taken: 'Diese Identität gehört hier zu einem anderen Konto.',
      disabled: 'Dein Konto ist gesperrt. Frage die Person, der dieses Lectern gehört.',
      busy: 'Zu viele Anmeldungen sind gescheitert. Warte ein paar Minuten und versuche es dann noch einmal.',
    },
  },
  name: 'Name',
  password: 'Passwort',
  passwordHint: 'Mindestens acht Zeichen.',
  showPassword: 'Passwort zeigen',
};
