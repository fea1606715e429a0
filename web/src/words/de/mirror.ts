import type { MirrorWords } from '../../mirror/words.ts';

const plural = (n: number, one: string, many: string) => `${n.toLocaleString('de')} ${n === 1 ? one : many}`;

export const mirror: MirrorWords = {
  title: 'Spiegel von Raindrop',
  lead: 'Was du bei Raindrop.io aufhebst, als Dateien deiner eigenen Bibliothek.',
  notYours:
    'Sie zeigt, wie weit der Spiegel der Lesezeichen ist, die der Person, der Lectern gehört, bei Raindrop gehören. Von dir hängt nichts daran.',
  run: 'Nächsten Schwung jetzt holen',
  asked: {
    started: 'Der nächste Schwung ist bestellt und beginnt gleich.',
    'under-way': 'Einer ist schon unterwegs, darum kam keiner dazu. Der nächste folgt von selbst.',
  },
  setup: {
    what: 'Was tut er?',
    does: 'Lectern kann deine Lesezeichen bei Raindrop.io spiegeln: jedes mit Titel, Tags, Sammlung, Notiz und Markierungen, und mit seiner dauerhaften Kopie, wo Raindrop eine gemacht hat.',
    keeps:
      'Sie werden einfache Dateien deiner Bibliothek, die Suche findet sie, und sie bleiben, wenn du sie bei Raindrop löschst oder es Raindrop nicht mehr gibt. Der Spiegel liest nur: Bei Raindrop wird nie etwas geändert.',
    how: 'Wie schaltet man ihn ein?',
    make: 'Mach einen Schlüssel: Öffne bei Raindrop die Integrationen, drück auf „Create new app“, gib ihr irgendeinen Namen, öffne sie und drück auf „Create test token“.',
    link: 'Integrationen bei Raindrop',
    set: 'Setz ihn in der Umgebung von Lectern, wo die anderen Einstellungen stehen, mit deinem Schlüssel anstelle der Punkte. Er öffnet dein ganzes Konto: Hüte ihn wie ein Passwort.',
    restart:
      'Starte Lectern neu. Der erste Schwung beginnt innerhalb einer Minute, und diese Seite zeigt, wie weit er ist.',
    kept: 'Es ist kein Schlüssel gesetzt, darum wird nichts Neues geholt. Was vorher geholt wurde, ist da.',
  },
  state: {
    question: 'Wie weit ist er?',
    running: 'Ein Schwung wird gerade geholt.',
    problem: 'Der letzte Schwung musste aufhören.',
    first: 'Noch ist nichts geholt. Der erste Schwung beginnt innerhalb einer Minute.',
    waiting: (when) => `Wartet auf den nächsten Schwung: ${when}.`,
    current: 'Auf dem neuesten Stand.',
    currentHint: 'Einmal am Tag wird nachgesehen, was sich geändert hat.',
    overdue: 'Der nächste Schwung hätte beginnen sollen und hat es nicht getan.',
    overdueLink: 'Sehen, was Lectern tut',
    safe: 'Was da ist, ist sicher, und der nächste Schwung macht dort weiter.',
    before: 'Der Schwung davor musste aufhören:',
    progress: (done, total) => `${done} von ${total} sind da`,
    bar: 'Lesezeichen, die da sind',
    phases: {
      idle: 'Fragt, was es gibt.',
      updates: 'Holt, was neu ist oder sich geändert hat.',
      trash: 'Sucht, was gelöscht wurde.',
      count: 'Zählt nach, ob nichts fehlt.',
      sweep: 'Sieht alles durch nach dem, was keine Änderung verraten hat.',
      removals: 'Fragt nach denen, die nicht mehr zu sehen waren.',
      copies: 'Fragt noch einmal nach Kopien, die nicht fertig waren.',
    },
    show: 'In der Bibliothek zeigen',
  },
  facts: {
    here: 'Lesezeichen, die da sind',
    removed: 'Bei Raindrop gelöscht, hier behalten',
    until: 'Alles bis',
    untilHint: 'Was bis dahin bei Raindrop geändert wurde, ist da.',
    began: 'Dieser Lauf begann',
    ended: 'Letzter vollständiger Lauf',
    next: 'Nächster Schwung',
    done: 'Wohl vollständig',
    batches: (n) => `nach ${plural(n, 'weiterem Schwung', 'weiteren Schwüngen')}`,
    never: 'nie',
    nothing: 'noch nichts',
    runsNow: 'läuft jetzt',
    soon: 'innerhalb einer Minute',
    late: 'überfällig',
  },
  copies: {
    question: 'Was wurde aus den dauerhaften Kopien?',
    hint: 'Die Seite selbst, wie Raindrop sie behalten hat, als du sie gespeichert hast.',
    kinds: {
      stored: 'Hier behalten',
      none: 'Raindrop hat keine',
      pending: 'Raindrop ist noch dabei',
      refused: 'Raindrop konnte keine machen',
      failed: 'Konnten nicht geholt werden',
    },
    what: 'Was',
    many: 'Wie viele',
    waiting: (n) =>
      n === 1
        ? 'Nach 1 davon wird später noch einmal gefragt.'
        : `Nach ${n.toLocaleString('de')} davon wird später noch einmal gefragt.`,
  },
  slow: {
    question: 'Warum lässt er sich Zeit?',
    why: 'Aus Höflichkeit gegenüber einem fremden Server: fünfzig Lesezeichen in der Stunde, sechs bis zehn Anfragen in der Minute.',
    faster:
      'Dieser Befehl lässt die Pausen aus und macht bis zum Ende weiter; er läuft dort, wo Lectern läuft:',
  },
};
