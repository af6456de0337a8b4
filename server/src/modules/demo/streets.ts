import { phrases } from './word-lists.ts'

const americanStreets = phrases(`
  Main; Oak; Maple; Cedar; Pine; Elm; Washington; Lake; Hill; Walnut; Spring; North; Ridge; Lincoln; Church;
  Willow; Mill; Sunset; Railroad; Jackson; Cherry; Highland; Franklin; River; Meadow; Forest; Jefferson; Center;
  Laurel; Birch; Martin Luther King Jr
`)
const americanWays = phrases(`
  Street; Avenue; Road; Lane; Drive; Boulevard; Court; Way; Place; Terrace
`)

/** Formats of street addresses by country; `#` is the house number. */
export const streetsByCountry: Readonly<Record<string, readonly string[]>> = {
  'United States': americanStreets.flatMap((street) => americanWays.map((way) => `# ${street} ${way}`)),
  'United Kingdom': phrases(`
  # High Street; # Station Road; # Church Lane; # Victoria Road; # Mill Lane; # The Crescent; # St John's Road;
  # Queen Street; # Albert Terrace; Flat 2, # Grange Road
`),
  Germany: phrases(`
  Hauptstraße #; Lindenstraße #; Gartenweg #; Bahnhofstraße #; Schillerstraße #; Am Mühlbach #; Bergstraße #;
  Goethestraße #; Rosenweg #; Königsallee #
`),
  France: phrases(`
  # rue de la République; # avenue Victor Hugo; # rue de l'Église; # boulevard Voltaire; # rue Pasteur;
  # place de la Liberté; # rue des Écoles; # allée des Chênes; # quai de la Gare; # rue du Château
`),
  Spain: phrases(`
  Calle Mayor #; Calle de Alcalá #; Avenida de la Constitución #; Plaza España #; Calle Nueva #; Paseo del Prado #;
  Calle Sol #; Ronda de San Pedro #
`),
  Italy: phrases(`
  Via Roma #; Via Garibaldi #; Corso Italia #; Via Mazzini #; Piazza San Marco #; Via Dante #; Viale Europa #;
  Via della Libertà #
`),
  Netherlands: phrases(`
  Kerkstraat #; Dorpsstraat #; Molenweg #; Prinsengracht #; Stationsstraat #; Beatrixlaan #; Schoolstraat #;
  Julianaplein #
`),
  Sweden: phrases(`
  Storgatan #; Kungsgatan #; Skolgatan #; Björkvägen #; Ängsvägen #; Drottninggatan #; Strandvägen #; Åkervägen #
`),
}
