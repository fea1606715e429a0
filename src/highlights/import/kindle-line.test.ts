import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KindleLine, parseKindleDate, parseKindleLine } from './kindle-line.ts';

const at = (...[year, month, ...rest]: [number, number, ...number[]]) =>
  Date.UTC(year, month - 1, ...(rest as [number]));
const line = (
  kind: KindleLine['kind'],
  location: [number, number] | null,
  page: string | null,
  madeAt: number | null,
): KindleLine => ({
  kind,
  location: location && { start: location[0], end: location[1] },
  page,
  madeAt,
});

describe('the second line of a clipping', () => {
  it.each<[text: string, expected: KindleLine]>([
    [
      '- Your Highlight on page 92 | location 1406-1407 | Added on Saturday, 26 March 2016 14:59:39',
      line('highlight', [1406, 1407], '92', at(2016, 3, 26, 14, 59, 39)),
    ],
    [
      '- Your Highlight at location 829-830 | Added on Tuesday, October 10, 2023 9:09:36 PM',
      line('highlight', [829, 830], null, at(2023, 10, 10, 21, 9, 36)),
    ],
    [
      '- Your Note on page 315 | Location 4444 | Added on Monday, September 16, 2019 10:06:09 AM',
      line('note', [4444, 4444], '315', at(2019, 9, 16, 10, 6, 9)),
    ],
    [
      '- Your Bookmark on Location 3021 | Added on Wednesday, February 17, 2016 1:49:13 PM',
      line('bookmark', [3021, 3021], null, at(2016, 2, 17, 13, 49, 13)),
    ],
    [
      '- Highlight Loc. 3665-67  | Added on Thursday, June 18, 2009, 07:39 PM',
      line('highlight', [3665, 3667], null, at(2009, 6, 18, 19, 39)),
    ],
    [
      '- Highlight on Page 12 | Loc. 687702-3  | Added on Thursday, June 18, 2009, 07:39 PM',
      line('highlight', [687702, 687703], '12', at(2009, 6, 18, 19, 39)),
    ],
    [
      '- Your Highlight on page xii-xiii | Added on Friday, July 3, 2026 8:00:00\u202fAM',
      line('highlight', null, 'xii-xiii', at(2026, 7, 3, 8)),
    ],
    [
      '- Clip This Article on Location 401 | Added on Monday, January 1, 2024 10:00:00 AM',
      line('highlight', [401, 401], null, at(2024, 1, 1, 10)),
    ],
    [
      '- Ihre Markierung auf Seite 7 | bei Position 96-96 | Hinzugefügt am Freitag, 8. Mai 2020 17:23:15',
      line('highlight', [96, 96], '7', at(2020, 5, 8, 17, 23, 15)),
    ],
    [
      '- Ihre Notiz bei Position 99 | Hinzugefügt am Freitag, 12. April 2024 11:22:33',
      line('note', [99, 99], null, at(2024, 4, 12, 11, 22, 33)),
    ],
    [
      '- Ihr Lesezeichen auf Seite 3 | Position 40 | Hinzugefügt am Montag, 4. März 2024 22:16:00',
      line('bookmark', [40, 40], '3', at(2024, 3, 4, 22, 16)),
    ],
    [
      '- Votre surlignement sur la page 200 | emplacement 3054-3056 | Ajouté le mercredi 16 août 2017 02:14:10',
      line('highlight', [3054, 3056], '200', at(2017, 8, 16, 2, 14, 10)),
    ],
    [
      '- Votre surlignement à lʼemplacement 144-146 | Ajouté le samedi 26 décembre 2015 à 22:40:52',
      line('highlight', [144, 146], null, at(2015, 12, 26, 22, 40, 52)),
    ],
    [
      '- Votre note sur la page 5 | emplacement 60 | Ajouté le mardi 5 mars 2024 09:12:45',
      line('note', [60, 60], '5', at(2024, 3, 5, 9, 12, 45)),
    ],
    [
      '- Votre signet sur la page 5 | emplacement 60 | Ajouté le mardi 5 mars 2024 09:12:45',
      line('bookmark', [60, 60], '5', at(2024, 3, 5, 9, 12, 45)),
    ],
    [
      '- La subrayado en la página 17 | posición 204-207 | Añadido el domingo, 1 de enero de 2023 10:29:48',
      line('highlight', [204, 207], '17', at(2023, 1, 1, 10, 29, 48)),
    ],
    [
      '- Tu subrayado en la posición 1181-1181 | Añadido el sábado, 17 de diciembre de 2022 2:30:30 p. m.',
      line('highlight', [1181, 1181], null, at(2022, 12, 17, 14, 30, 30)),
    ],
    [
      '- Tu nota en la página 50 | Añadido el lunes, 30 de septiembre de 2019 18:00:39',
      line('note', null, '50', at(2019, 9, 30, 18, 0, 39)),
    ],
    [
      '- El marcador en la página 50 | posición 3 | Añadido el martes, 1 de octubre de 2019 0:37:31',
      line('bookmark', [3, 3], '50', at(2019, 10, 1, 0, 37, 31)),
    ],
    [
      '- La tua evidenziazione a pagina 477 | posizione 7312-7314 | Aggiunto in data lunedì 20 novembre 2023 23:50:21',
      line('highlight', [7312, 7314], '477', at(2023, 11, 20, 23, 50, 21)),
    ],
    [
      '-  La tua nota alla posizione 453 | Aggiunto in data martedì 9 marzo 2021 22:52:57',
      line('note', [453, 453], null, at(2021, 3, 9, 22, 52, 57)),
    ],
    [
      '- Il tuo segnalibro alla posizione 453 | Aggiunto in data giovedì 11 marzo 2021 22:52:57',
      line('bookmark', [453, 453], null, at(2021, 3, 11, 22, 52, 57)),
    ],
    [
      '- Seu destaque ou posição 333-334 | Adicionado: sábado, 16 de maio de 2015 13:16:48',
      line('highlight', [333, 334], null, at(2015, 5, 16, 13, 16, 48)),
    ],
    [
      '- Sua nota na página 70 | posição 952 | Adicionado: terça-feira, 1 de março de 2024 10:20:00',
      line('note', [952, 952], '70', at(2024, 3, 1, 10, 20)),
    ],
    [
      '- Seu marcador ou posição 55 | Adicionado: quinta-feira, 11 de abril de 2024 10:00:00',
      line('bookmark', [55, 55], null, at(2024, 4, 11, 10)),
    ],
    [
      '- Je markering op pagina 6 | locatie 36-40 | Toegevoegd op maandag 30 september 2019 18:00:39',
      line('highlight', [36, 40], '6', at(2019, 9, 30, 18, 0, 39)),
    ],
    [
      '- Je highlight op locatie 55 t/m 88 | Toegevoegd op donderdag 13 maart 2026 20:01:02',
      line('highlight', [55, 88], null, at(2026, 3, 13, 20, 1, 2)),
    ],
    [
      '- Je notitie op locatie 55 | Toegevoegd op woensdag 1 mei 2024 20:01:02',
      line('note', [55, 55], null, at(2024, 5, 1, 20, 1, 2)),
    ],
    [
      '- Uw bladwijzer op pagina 6 | Toegevoegd op woensdag 1 mei 2024 20:01:02',
      line('bookmark', null, '6', at(2024, 5, 1, 20, 1, 2)),
    ],
    [
      '- 25ページ|位置No. 372-373のハイライト |作成日: 2025年4月2日水曜日 21:05:10',
      line('highlight', [372, 373], '25', at(2025, 4, 2, 21, 5, 10)),
    ],
    [
      '- 位置No. 77のメモ |作成日: 2017年8月28日月曜日 午後5:51:55',
      line('note', [77, 77], null, at(2017, 8, 28, 17, 51, 55)),
    ],
    [
      '- 30ページ|位置No. 400のブックマーク |作成日: 2025年4月2日水曜日 21:06:00',
      line('bookmark', [400, 400], '30', at(2025, 4, 2, 21, 6)),
    ],
    [
      '- 您在位置 #92-93的标注 | 添加于 2014年9月16日星期二 下午9:39:55',
      line('highlight', [92, 93], null, at(2014, 9, 16, 21, 39, 55)),
    ],
    [
      '- 您在第 7 页（位置 #114-116）的标注 | 添加于 2019年9月30日星期一 上午12:00:39',
      line('highlight', [114, 116], '7', at(2019, 9, 30, 0, 0, 39)),
    ],
    [
      '- 您在第 126-126 页的标注 | 添加于 2022年3月28日星期一 上午8:35:18',
      line('highlight', null, '126-126', at(2022, 3, 28, 8, 35, 18)),
    ],
    [
      '- 您在位置 #1385 的笔记 | 添加于 2015年12月16日星期三 下午7:55:38',
      line('note', [1385, 1385], null, at(2015, 12, 16, 19, 55, 38)),
    ],
    [
      '- 您在位置 #23 的书签 | 添加于 2014年8月23日星期六 上午10:56:56',
      line('bookmark', [23, 23], null, at(2014, 8, 23, 10, 56, 56)),
    ],
    [
      '- Ваш выделенный отрывок в месте 120–121 | Добавлено: среда, 12 августа 2026 г. в 7:45:00',
      line('highlight', null, null, at(2026, 8, 12, 7, 45)),
    ],
    ['- Your Highlight on page 5 | Location 7-8', line('highlight', [7, 8], '5', null)],
    ['- Your Highlight on page 5 | Added on some day', line('highlight', null, '5', null)],
  ])('%$: %s', (text, expected) => {
    expect(parseKindleLine(text)).toEqual(expected);
    expect(parseKindleLine(text.normalize('NFD'))).toEqual(expected);
  });

  it.each([
    '',
    'Your Highlight on page 5 | Added on Monday',
    '- something else',
    '- Ваша заметка в месте 12 | Добавлено',
  ])('is none: %j', (text) => {
    expect(parseKindleLine(text)).toBeUndefined();
  });

  it('is read in an instant, whatever it is', () => {
    const pieces = fc.constantFrom(
      '- ',
      '|',
      'page ',
      'location ',
      '位置',
      '12',
      '-',
      ' ',
      'x',
      '年',
      ':',
      'iv',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 300 }), (parts) => {
        const parsed = parseKindleLine(`- ${parts.join('')}`);
        if (parsed?.location) expect(parsed.location.start).toBeLessThanOrEqual(parsed.location.end);
      }),
    );
    expect(parseKindleLine(`- ${'page '.repeat(1e6)}`)).toBeUndefined();
  });

  it('has a date that is a whole number, or none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)), (text) => {
        const parsed = parseKindleDate(text);
        expect(parsed === null || Number.isSafeInteger(parsed)).toBe(true);
      }),
    );
  });
});
