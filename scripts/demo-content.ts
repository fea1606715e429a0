// Feeds as people write them, for screenshots and for tests that need pages full of real text. All of it was written
// for this project, and the pictures are drawn by the code below.
import type { EntryText } from '../test/support/web-site.ts';
import { nightSky, shoreline, specimen } from './demo-pictures.ts';

export interface DemoFeed {
  readonly path: string;
  readonly title: string;
  readonly group: string;
  readonly entries: readonly Omit<EntryText, 'guid' | 'at'>[];
  /** How long ago the newest one was written. */
  readonly newestMinutesAgo: number;
  readonly hoursBetween: number;
}

export const demoGroups = ['Essays', 'Craft', 'Out of doors', 'Elsewhere'];

export const demoPictures: Readonly<Record<string, string>> = {
  '/pictures/shore.svg': shoreline(),
  '/pictures/sky.svg': nightSky(),
  '/pictures/specimen.svg': specimen(),
};

/** `origin` is where the pictures are. */
export function demoFeeds(origin: string): readonly DemoFeed[] {
  return [
    {
      path: '/slow-web/feed.xml',
      title: 'The Slow Page',
      group: 'Essays',
      newestMinutesAgo: 14,
      hoursBetween: 31,
      entries: [
        {
          title: 'What a shelf remembers',
          author: 'Ines Halloran',
          categories: ['reading', 'memory'],
          html: shelfEssay(origin),
        },
        {
          title: 'A page that ends',
          author: 'Ines Halloran',
          categories: ['design'],
          html: `<p>The kindest thing a page can do is stop. There is a last line, a little white below it, and the
            quiet permission to close the book, look up and find that the light has changed.</p>
            <p>Most of what we read on screens has given this up. It leans on the next thing and the next, and we leave
            it the way one leaves a party by the kitchen door: late, without having said goodbye to anyone.</p>
            <blockquote><p>An ending is not the place where the words run out. It is the place where the writer trusts
            you with them.</p></blockquote>
            <p>So this is a small plea for the bottom of the page.</p>`,
        },
        {
          title: 'On reading the same book every winter, and what changes although nothing in it does',
          author: 'Tobias Wren',
          html: `<p>The copy has lost its jacket and most of its spine. I begin it on the first evening that smells of
            snow, and I am always surprised by the second chapter, which I could recite.</p>
            <p>What changes is who I side with.</p>`,
        },
        {
          title: 'Notes in the margin are letters to a later self',
          author: 'Ines Halloran',
          html: `<p>“Surely not!” says a pencil from eleven years ago, beside a sentence that I now believe.</p>`,
        },
      ],
    },
    {
      path: '/small-tools/atom.xml',
      title: 'Small Tools',
      group: 'Craft',
      newestMinutesAgo: 52,
      hoursBetween: 20,
      entries: [
        {
          title: 'A queue in forty lines, and the three lines that matter',
          author: 'Mirko Dahl',
          categories: ['sql', 'queues'],
          html: queueArticle,
        },
        {
          title: 'Delete the config file',
          author: 'Mirko Dahl',
          html: `<p>Every option is a question that the author did not want to answer. Here is what happened when we
            answered twenty-six of them and kept four.</p>
            <ul><li>Start-up went from reading three files to reading none.</li><li>The manual lost its longest
            chapter, which nobody misses.</li><li>Two bugs could no longer be described, let alone happen.</li></ul>`,
        },
        {
          title: 'Measuring before and after, in the same minute, on the same machine',
          author: 'Sana Okafor',
          html: `<p>A number without its twin is a rumour. Run the old and the new in turns, ten times each, and report
            the ratio.</p><pre><code>for round in $(seq 10); do
  ./old | tee -a old.txt
  ./new | tee -a new.txt
done</code></pre>`,
        },
        {
          title: 'The error message is the user interface',
          author: 'Sana Okafor',
          html: `<p>Say what happened, say whether anything was lost, and name one thing to do. Everything else is for
            the log.</p>`,
        },
      ],
    },
    {
      path: '/letterform/feed.xml',
      title: 'Letterform',
      group: 'Craft',
      newestMinutesAgo: 190,
      hoursBetween: 55,
      entries: [
        {
          title: 'How wide is a comfortable line?',
          author: 'Aurelia Pons',
          categories: ['typography'],
          html: `<p>Ask ten printers and they will hold up ten pairs of hands. The eye is less vague: it finds the next
            line without effort while a line has between fifty-five and seventy-five characters, and begins to miss it
            soon after.</p>
            <figure><img src="${origin}/pictures/specimen.svg" alt="A specimen: the letters a, g and Q, large, on paper" width="960" height="540"><figcaption>Three letters that give a face away.</figcaption></figure>
            <h2>Three settings, side by side</h2>
            <table><thead><tr><th>Setting</th><th>Characters</th><th>Leading</th><th>Feels like</th></tr></thead>
            <tbody><tr><td>Narrow</td><td>48</td><td>1.45</td><td>a newspaper</td></tr>
            <tr><td>Book</td><td>66</td><td>1.60</td><td>a novel</td></tr>
            <tr><td>Wide</td><td>84</td><td>1.75</td><td>a contract</td></tr></tbody></table>
            <p>The longer the line, the more air it needs above and below, or the eye slips a row on its way back.</p>`,
        },
        {
          title: 'In praise of the semicolon; or, the pause that is not an end',
          author: 'Aurelia Pons',
          html: `<p>It asks for one more breath; it promises that the second half has been thought of already.</p>`,
        },
        {
          title: 'Old-style figures in running text',
          author: 'Joris Velde',
          html: `<p>In 1893 the numbers sat among the words like guests who knew everyone. They still can.</p>`,
        },
      ],
    },
    {
      path: '/tidewater/feed.xml',
      title: 'Tidewater Notebook',
      group: 'Out of doors',
      newestMinutesAgo: 95,
      hoursBetween: 26,
      entries: [
        {
          title: 'Low water, first light',
          author: 'Maren Sølv',
          categories: ['coast', 'birds'],
          html: `<p>Eleven degrees, no wind. The flats lay open as far as the second marker and the curlews had them to
            themselves until ten past six, when a man with a bucket came over the dyke.</p>
            <figure><img src="${origin}/pictures/shore.svg" alt="A shore at low water, with a pale sun over grey bands of sand and sea" width="1200" height="675"><figcaption>The second marker, from the dyke.</figcaption></figure>
            <p>We nodded to each other the way people do who have both got up for the same reason and do not intend to
            name it.</p>
            <h2>Seen</h2>
            <ul><li>Curlew, about forty</li><li>Oystercatcher, a pair and one more</li><li>A seal, or a seal-shaped
            piece of the morning</li></ul>`,
        },
        {
          title: 'The ferry is out until Thursday',
          author: 'Maren Sølv',
          html: `<p>So the island has four quiet days and no newspapers, and the baker has learned everyone's name.</p>`,
        },
        {
          title: 'What the storm brought',
          author: 'Maren Sølv',
          html: `<p>One plank of a deck, painted twice. A crate of lamps, dry inside. Enough weed to cover the gardens
            until spring.</p>`,
          enclosure: { url: `${origin}/sounds/storm.mp3`, type: 'audio/mpeg' },
        },
      ],
    },
    {
      path: '/observatory/rss',
      title: 'Log of a Back-garden Observatory',
      group: 'Out of doors',
      newestMinutesAgo: 420,
      hoursBetween: 48,
      entries: [
        {
          title: 'Two hours of clear sky and a stubborn hinge',
          author: 'E. Castellan',
          html: `<p>The roof sticks at a third. I have learned to observe whatever happens to be in that third.</p>
            <figure><img src="${origin}/pictures/sky.svg" alt="Stars above a dark line of hills" width="1200" height="675"></figure>
            <p>Tonight it was the Double Cluster, which is more than I deserve.</p>`,
        },
        {
          title: 'Counting meteors with a seven-year-old',
          author: 'E. Castellan',
          html: `<p>Thirty-one, of which nine were “really fast”, two were “maybe a bat”, and one was a wish that may not
            be printed.</p>`,
        },
      ],
    },
    {
      path: '/kitchen/feed.json.xml',
      title: 'Almanac of a Small Kitchen',
      group: 'Essays',
      newestMinutesAgo: 1500,
      hoursBetween: 70,
      entries: [
        {
          title: 'Bread for people who forget',
          author: 'Dora Lindqvist',
          html: `<p>Flour, water, salt, and a spoon of yesterday. Leave it. Remember it at bedtime; leave it again.</p>
            <ol><li>500 g flour</li><li>380 g water</li><li>10 g salt</li></ol>`,
        },
        {
          title: 'Eleven soups and one argument',
          author: 'Dora Lindqvist',
          html: `<p>The argument is about dill.</p>`,
        },
      ],
    },
    {
      path: '/gaerten/feed.xml',
      title: 'Hinterhofgärten',
      group: 'Elsewhere',
      newestMinutesAgo: 700,
      hoursBetween: 60,
      entries: [
        {
          title: 'Der Apfelbaum auf dem Garagendach',
          author: 'Jule Brandt',
          html: `<p>Niemand hat ihn gepflanzt, und niemand würde ihn fällen. Im Oktober stellt der Hausmeister eine Leiter
            hin und sagt nichts dazu.</p>`,
        },
        {
          title: 'Gießen, wenn die Straße schläft',
          author: 'Jule Brandt',
          html: `<p>Um fünf Uhr früh gehört der Schlauch einem ganz allein.</p>`,
        },
      ],
    },
    {
      path: '/daftar/feed.xml',
      title: 'دفتر الطريق',
      group: 'Elsewhere',
      newestMinutesAgo: 1300,
      hoursBetween: 90,
      entries: [
        {
          title: 'مقهى عند آخر الشارع',
          author: 'سلمى نور',
          html: '<p>يفتح بابه قبل الفجر بقليل، ولا يسأل أحدٌ أحدًا عن اسمه. الشاي حلو، والكلام قليل.</p>',
        },
      ],
    },
  ];
}

/** A feed that its site gave out once, and then no more. */
export const brokenDemoFeed: DemoFeed = {
  path: '/lighthouse/feed.xml',
  title: 'The Lighthouse Weekly',
  group: 'Out of doors',
  newestMinutesAgo: 2_900,
  hoursBetween: 168,
  entries: [
    {
      title: 'The lamp is being cleaned',
      author: 'The keeper',
      html: '<p>There will be no light on Tuesday, nor any number of this paper. Ships have been told.</p>',
    },
    {
      title: 'A letter from the next lighthouse along',
      author: 'The keeper',
      html: '<p>They report fog, a visiting aunt, and a disagreement about the weather that has outlasted the weather.</p>',
    },
  ],
};

function shelfEssay(origin: string): string {
  return `<p>My grandmother kept her books in the order in which she had met them. Not by author, not by colour, and
certainly not by subject, which she thought a rude thing to ask of a book. You could walk along the wall and watch a
person happen: the school prizes, the year of detective stories, the long grey stretch of the war in which hardly anything
was added, and then, quite suddenly, poetry.</p>
<p>When the house was sold we took the books down in that order and put them up again in that order, in my hall, which is
shorter, so that the poetry now turns a corner. I have never rearranged them. I could not say where anything is; I can only
say <em>when</em> it is.</p>
<h2>Order is a kind of memory</h2>
<p>A library that is sorted well answers one question quickly. A library that has grown answers questions you did not know
you had. Why are there two copies of the same atlas, side by side? Because there were two of them, that year, and neither
would give theirs up.</p>
<blockquote><p>You do not look for a book. You go back to where you were when you needed it.</p></blockquote>
<p>I have tried to keep something like it on a machine. It is harder than it sounds, because machines are so very good at
sorting. Everything is offered by relevance, by date changed, by most opened; the one order that is never offered is the
order in which things mattered.</p>
<figure><img src="${origin}/pictures/shore.svg" alt="A shore at low water under a pale sun" width="1200" height="675"><figcaption>The view
from the hall window, about where the poetry begins.</figcaption></figure>
<h2>Three small rules</h2>
<ol><li>Keep what you have read where you can see it.</li><li>Add at the end.</li><li>Never tidy on a day when you are
unhappy.</li></ol>
<p>The last one was hers. She had tidied once, she said, in the spring of a bad year, and it had taken her until autumn to
find herself again.</p>
<hr>
<p>There is an empty half shelf at the end. I leave it as she did: wide enough for whatever is next, and not a hand wider,
since a person should not expect too much.</p>`;
}

const queueArticle = `<p>A job queue is a table, a worker and an agreement about what happens when the worker dies. The table is
easy and the worker is easier. This is about the agreement.</p>
<h2>Claiming</h2>
<p>Two workers must not take the same job, and a worker that was killed must not keep one. Both follow from a single
statement, if the row says until when it is taken:</p>
<pre><code>UPDATE jobs
   SET taken_until = now() + interval '30 seconds',
       attempt     = attempt + 1
 WHERE id = (SELECT id
               FROM jobs
              WHERE run_at &lt;= now() AND taken_until &lt; now()
              ORDER BY run_at
              LIMIT 1
                FOR UPDATE SKIP LOCKED)
RETURNING *;</code></pre>
<p>The <code>attempt</code> is not for statistics. It is the name of this turn, and everything that the worker writes has to
show it at the door.</p>
<h2>The three lines that matter</h2>
<p>A worker that was thought dead may only have been asleep. When it wakes, its job belongs to somebody else. So the effect and
the end of the job are written together, and only if the turn is still the same:</p>
<pre><code>if (job.attempt !== current.attempt) throw new TooLate();
write(effect);
finish(job);</code></pre>
<table><thead><tr><th>What happens</th><th>Without the check</th><th>With it</th></tr></thead>
<tbody><tr><td>Worker is killed</td><td>done again</td><td>done again</td></tr>
<tr><td>Worker sleeps, wakes</td><td>done twice</td><td>done once</td></tr>
<tr><td>Clock jumps</td><td>done twice</td><td>done once</td></tr></tbody></table>
<p>Forty lines in all. The other thirty-seven are logging.</p>`;
