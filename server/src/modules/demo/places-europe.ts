import type { City } from './city.ts'

/** City, state or region, latitude, longitude, form of phone numbers, postal codes (comma-separated), weight. */
type Row = [string, string, number, number, string, string, number]

// Phone numbers are from ranges reserved for fiction, or have a prefix that is not in use there.
const rowsByCountry: Record<string, Row[]> = {
  'United Kingdom': [
    ['London', 'England', 51.5074, -0.1278, '+44 20 7946 0###', 'SW1A 1AA,N1 9GU,E2 8AA,SE1 7PB,W11 2BQ', 9],
    ['Manchester', 'England', 53.4808, -2.2426, '+44 161 496 0###', 'M1 1AE,M4 5JW,M20 2RN', 4],
    ['Birmingham', 'England', 52.4862, -1.8904, '+44 121 496 0###', 'B1 1BB,B13 8JP,B29 6BD', 3],
    ['Leeds', 'England', 53.8008, -1.5491, '+44 113 496 0###', 'LS1 4DY,LS6 3HN', 2],
    ['Bristol', 'England', 51.4545, -2.5879, '+44 117 496 0###', 'BS1 5TR,BS8 1TH', 3],
    ['Cardiff', 'Wales', 51.4816, -3.1791, '+44 29 2018 0###', 'CF10 1EP,CF24 3AA', 2],
    ['Edinburgh', 'Scotland', 55.9533, -3.1883, '+44 131 496 0###', 'EH1 1YZ,EH3 9QN,EH10 4BF', 4],
    ['Glasgow', 'Scotland', 55.8642, -4.2518, '+44 141 496 0###', 'G1 1XQ,G12 8QQ', 3],
  ],
  Germany: [
    ['Berlin', 'Berlin', 52.52, 13.405, '+49 30 23125 ###', '10115,10178,10435,10999,12043', 8],
    ['Hamburg', 'Hamburg', 53.5511, 9.9937, '+49 40 66969 ###', '20095,20259,22765', 5],
    ['München', 'Bayern', 48.1351, 11.582, '+49 89 99998 ###', '80331,80469,80799,81541', 7],
    ['Köln', 'Nordrhein-Westfalen', 50.9375, 6.9603, '+49 221 4710 ###', '50667,50823,50937', 4],
    ['Frankfurt am Main', 'Hessen', 50.1109, 8.6821, '+49 69 90009 ###', '60311,60316,60594', 4],
    ['Stuttgart', 'Baden-Württemberg', 48.7758, 9.1829, '+49 711 0####', '70173,70180,70197', 3],
    ['Freiburg im Breisgau', 'Baden-Württemberg', 47.999, 7.8421, '+49 761 0####', '79098,79102,79106', 2],
    ['Leipzig', 'Sachsen', 51.3397, 12.3731, '+49 341 0####', '04103,04109,04229', 2],
  ],
  France: [
    ['Paris', 'Île-de-France', 48.8566, 2.3522, '+33 1 99 00 ## ##', '75003,75010,75011,75015,75018', 8],
    ['Lyon', 'Auvergne-Rhône-Alpes', 45.764, 4.8357, '+33 4 65 71 ## ##', '69001,69003,69007', 5],
    ['Grenoble', 'Auvergne-Rhône-Alpes', 45.1885, 5.7245, '+33 4 65 71 ## ##', '38000,38100', 3],
    ['Annecy', 'Auvergne-Rhône-Alpes', 45.8992, 6.1294, '+33 4 65 71 ## ##', '74000', 2],
    ['Marseille', "Provence-Alpes-Côte d'Azur", 43.2965, 5.3698, '+33 4 65 71 ## ##', '13001,13006,13008', 4],
    ['Toulouse', 'Occitanie', 43.6047, 1.4442, '+33 5 36 49 ## ##', '31000,31400,31500', 3],
    ['Nantes', 'Pays de la Loire', 47.2184, -1.5536, '+33 2 61 91 ## ##', '44000,44100', 2],
    ['Strasbourg', 'Grand Est', 48.5734, 7.7521, '+33 3 53 01 ## ##', '67000,67100', 2],
  ],
  Spain: [
    ['Madrid', 'Comunidad de Madrid', 40.4168, -3.7038, '+34 91 000 ####', '28001,28004,28012,28015', 5],
    ['Barcelona', 'Cataluña', 41.3874, 2.1686, '+34 93 000 ####', '08001,08010,08024', 5],
    ['València', 'Comunitat Valenciana', 39.4699, -0.3763, '+34 96 000 ####', '46001,46004', 2],
    ['Bilbao', 'País Vasco', 43.263, -2.935, '+34 94 000 ####', '48001,48009', 2],
  ],
  Italy: [
    ['Milano', 'Lombardia', 45.4642, 9.19, '+39 02 000 ####', '20121,20123,20144', 5],
    ['Torino', 'Piemonte', 45.0703, 7.6869, '+39 011 000 ####', '10121,10128', 3],
    ['Bologna', 'Emilia-Romagna', 44.4949, 11.3426, '+39 051 000 ####', '40121,40126', 2],
    ['Roma', 'Lazio', 41.9028, 12.4964, '+39 06 000 ####', '00184,00186,00153', 4],
  ],
  Netherlands: [
    ['Amsterdam', 'Noord-Holland', 52.3676, 4.9041, '+31 20 000 ####', '1012 JS,1016 GV,1073 BK', 5],
    ['Rotterdam', 'Zuid-Holland', 51.9244, 4.4777, '+31 10 000 ####', '3011 AA,3015 CE', 3],
    ['Utrecht', 'Utrecht', 52.0907, 5.1214, '+31 30 000 ####', '3511 LX,3581 KP', 3],
    ['Groningen', 'Groningen', 53.2194, 6.5665, '+31 50 000 ####', '9711 LM,9712 CP', 1],
  ],
  Sweden: [
    ['Stockholm', 'Stockholms län', 59.3293, 18.0686, '+46 8 465 004 ##', '111 29,113 46,118 25', 4],
    ['Göteborg', 'Västra Götalands län', 57.7089, 11.9746, '+46 31 390 06 ##', '411 03,413 15', 3],
    ['Malmö', 'Skåne län', 55.605, 13.0038, '+46 40 628 04 ##', '211 22,214 20', 2],
    ['Umeå', 'Västerbottens län', 63.8258, 20.263, '+46 90 000 ####', '903 26', 1],
  ],
}

export const europeanCities: readonly City[] = Object.entries(rowsByCountry).flatMap(([country, rows]) =>
  rows.map(([name, state, latitude, longitude, phones, zips, weight]) => ({
    name,
    state,
    country,
    latitude,
    longitude,
    phones: [phones],
    zips: zips.split(','),
    weight,
  })),
)
