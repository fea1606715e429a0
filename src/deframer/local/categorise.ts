// Which of the categories an article belongs to, by words that hardly stand elsewhere.
import type { Category } from '../../model/deframer.ts';
import type { Article } from '../analyzer.ts';
import { wordsIn } from './words.ts';

const keywords: Readonly<Partial<Record<Category, string>>> = {
  politics:
    'election elections vote votes voters ballot senate senator congress parliament minister ministers president presidential prime government governor mayor democrat democrats republican republicans labour tory tories conservative liberal policy lawmakers legislation bill coalition campaign chancellor cabinet impeachment politik wahl bundestag regierung minister kanzler gouvernement élection élections député gobierno elecciones kabinet verkiezingen regering valg',
  world:
    'war troops ceasefire invasion border refugees refugee migrants embassy diplomat diplomats treaty sanctions missile missiles airstrike airstrikes hostage hostages militants insurgents rebels nato un earthquake tsunami coup krieg guerre guerra oorlog krig',
  business:
    'company companies ceo merger acquisition startup retailer retail sales profit profits revenue layoffs workers factory industry supply manufacturer airline automaker shareholders unternehmen entreprise empresa bedrijf virksomhed',
  finance:
    'stocks shares stock market markets bank banks interest rates inflation bond bonds investors investment fund funds dow nasdaq currency euro dollar bitcoin crypto mortgage mortgages tax taxes pension pensions savings debt aktien börse bourse bolsa beurs',
  sport:
    'football soccer match goal goals league cup championship tournament coach striker olympic olympics medal tennis golf rugby cricket basketball baseball nba nfl nhl mlb fifa uefa grand prix racing race team season playoffs innings quarterback wimbledon fußball bundesliga spieler tor champion joueur fútbol partido voetbal fodbold',
  culture:
    'film films movie movies album song songs singer band actor actress director theatre theater museum exhibition novel author book books poet poetry festival oscar oscars emmy grammy concert trailer tv series episode celebrity celebrities artist art opera musik kino musique livre cine música',
  technology:
    'software app apps smartphone phone iphone android google apple microsoft facebook amazon ai algorithm internet web browser computer computers laptop chip chips robot robots hacker hackers hack cybersecurity data privacy code developer developers startup linux open-source server cloud website technik technologie tecnología',
  health:
    'health hospital hospitals doctor doctors nurse nurses patient patients disease virus vaccine vaccines flu covid cancer diabetes drug drugs medicine treatment therapy mental surgery symptoms obesity epidemic pandemic outbreak gesundheit santé salud gezondheid sundhed',
  science:
    'scientists scientist research researchers study physics chemistry biology astronomers astronomer telescope planet planets mars moon space nasa spacecraft galaxy fossil fossils dinosaur genome gene genes dna particle quantum species neuroscience forscher chercheurs científicos',
  environment:
    'climate emissions carbon wildfire wildfires pollution renewable solar wind recycling conservation biodiversity deforestation drought flood floods glacier glaciers warming endangered wildlife plastic ecosystem klima klimat climat clima klimaat',
  travel:
    'travel traveller travelers travellers tourist tourists tourism hotel hotels flight flights vacation destination destinations itinerary beach beaches airport passport cruise hiking reise voyage viaje reizen rejse',
  lifestyle:
    'recipe recipes cooking food foods dessert desserts fashion beauty makeup hair outfit outfits wedding weddings dating relationship relationships parenting home decor diy gift gifts garden gardening fitness workout yoga diet costumes tattoo tattoos cocktails rezept recette receta recept opskrift',
  games:
    'game gamer gamers gaming videogame playstation xbox nintendo switch steam console esports rpg multiplayer minecraft fortnite pokémon zelda dlc speedrun',
  history:
    'history historical historian historians ancient medieval roman romans empire century archaeologists archaeologist archaeology excavation tomb pharaoh viking vikings wwii holocaust geschichte histoire historia',
  opinion:
    'opinion editorial op-ed column columnist commentary letters kommentar meinung tribune opinión opinie',
};

const categoryOfWord = new Map<string, Category[]>();
for (const [category, words] of Object.entries(keywords) as [Category, string][])
  for (const word of words.split(' '))
    categoryOfWord.set(word, [...(categoryOfWord.get(word) ?? []), category]);

/** Where outlets file things, in their addresses. */
const sections: Readonly<Record<string, Category>> = {
  sports: 'sport',
  tech: 'technology',
  economy: 'business',
  money: 'finance',
  arts: 'culture',
  entertainment: 'culture',
  music: 'culture',
  film: 'culture',
  books: 'culture',
  food: 'lifestyle',
  style: 'lifestyle',
  fashion: 'lifestyle',
  climate: 'environment',
  gaming: 'games',
  commentisfree: 'opinion',
  politik: 'politics',
  wirtschaft: 'business',
  kultur: 'culture',
  wissenschaft: 'science',
  sante: 'health',
};

/** A word of the headline is worth so much more than one of the page. */
const worth = { section: 5, title: 3, description: 1, text: 0.25 };
const leastWorth = 2;

export function categorise(article: Article): Category {
  const points = new Map<Category, number>();
  const add = (category: Category, worthOfIt: number) =>
    points.set(category, (points.get(category) ?? 0) + worthOfIt);
  for (const category of sectionsOf(article.url)) add(category, worth.section);
  for (const [text, worthOfIt] of [
    [article.title.slice(0, 500), worth.title],
    [article.description.slice(0, 1500), worth.description],
    [article.text.slice(0, 3000), worth.text],
  ] as const)
    for (const key of new Set(wordsIn(text).map((word) => word.key)))
      for (const category of categoryOfWord.get(key) ?? []) add(category, worthOfIt);
  const [best] = [...points].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return best && best[1] >= leastWorth ? best[0] : 'other';
}

function sectionsOf(url: string): Category[] {
  const path = URL.parse(url)?.pathname.toLowerCase() ?? '';
  return path
    .split('/')
    .slice(1, 4)
    .flatMap((part) => sections[part] ?? (part in keywords ? (part as Category) : []));
}
