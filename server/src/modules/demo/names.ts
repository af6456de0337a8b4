import { words } from './word-lists.ts'

/** First and last names of a country, separated by blanks to keep the file short. */
export type Names = { first: readonly string[]; last: readonly string[] }

const names = (first: string, last: string): Names => ({ first: words(first), last: words(last) })

export const namesByCountry: Readonly<Record<string, Names>> = {
  'United States': names(
    `James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica
    Thomas Sarah Charles Karen Christopher Lisa Daniel Nancy Matthew Betty Anthony Margaret Mark Sandra Donald Ashley
    Steven Kimberly Paul Emily Andrew Donna Joshua Michelle Kenneth Carol Kevin Amanda Brian Dorothy George Melissa
    Timothy Deborah Ronald Stephanie Edward Rebecca Jason Sharon Jeffrey Laura Ryan Cynthia Jacob Kathleen Gary Amy
    Nicholas Angela Eric Shirley Jonathan Anna Stephen Brenda Larry Pamela Justin Emma Scott Nicole Brandon Helen
    Benjamin Samantha Samuel Katherine Gregory Christine Alexander Debra Patrick Rachel Frank Carolyn Raymond Janet
    Jack Maria Dennis Olivia Jerry Heather Tyler Diane Aaron Julie José Joyce Adam Victoria Nathan Ruth Zachary
    Virginia Douglas Lauren Peter Kelly Kyle Christina Noah Joan Ethan Evelyn Jeremy Judith Walter Andrea Christian
    Hannah Keith Megan Roger Cheryl Terry Jacqueline Austin Martha Sean Madison Gerald Teresa Carl Gloria Harold Sara
    Dylan Janice Arthur Ann Lawrence Kathryn Jordan Abigail Jesse Sophia Bryan Frances Billy Jean Bruce Alice Gabriel
    Judy Joe Isabella Logan Julia Alan Grace Juan Amber Albert Denise Willie Danielle Elijah Marilyn Wayne Beverly
    Randy Charlotte Vincent Natalie Mason Theresa Roy Diana Ralph Brittany Zoë Renée André Chloë Raúl Inés
    Jesús Lucía Ramón Sofía Héctor Mónica Andrés Verónica Priya Arjun Mei Wei Yuki Hiroshi Fatima Omar Aisha Malik
    Imani Darnell Latoya DeShawn Siobhán Niamh Aarav Ananya Thanh Linh Kwame Nia`,
    `Smith Johnson Williams Brown Jones García Miller Davis Rodríguez Martínez Hernández López González Wilson Anderson
    Thomas Taylor Moore Jackson Martin Lee Pérez Thompson White Harris Sánchez Clark Ramírez Lewis Robinson Walker Young
    Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter
    Roberts Gómez Phillips Evans Turner Díaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook
    Rogers Gutiérrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson Watson Brooks
    Chávez Wood James Bennett Gray Mendoza Ruiz Hughes Price Álvarez Castillo Sanders Patel Myers Long Ross Foster
    Jiménez Powell Jenkins Perry Russell Sullivan Bell Coleman Butler Henderson Barnes Gonzales Fisher Vásquez Simmons
    Romero Jordan Patterson Alexander Hamilton Graham Reynolds Griffin Wallace Moreno West Cole Hayes Bryant Herrera
    Gibson Ellis Tran Medina Aguilar Stevens Murray Ford Castro Marshall Owens Harrison Fernández McDonald Woods
    Washington Kennedy Wells Vargas Henry Chen Freeman Webb Tucker Guzmán Burns Crawford Olson Simpson Porter Hunter
    Gordon Méndez Silva Shaw Snyder Mason Dixon Muñoz Hunt Hicks Holmes Palmer Wagner Black Robertson Boyd Rose Stone
    Salazar Fox Warren Mills Meyer Rice Schmidt Garza Daniels Ferguson Nichols Stephens Soto Weaver Ryan Gardner Payne
    Grant Dunn Kelley Spencer Hawkins Arnold Pierce Hansen Peters Santos Hart Bradley Knight Elliott Cunningham Duncan
    Armstrong Hudson Carroll Lane Riley Andrews Alvarado Ray Delgado Berry Perkins Hoffman Johnston Matthews Peña
    Richards Contreras Willis Carpenter Lawrence Sandoval O'Brien O'Connor D'Angelo Okafor Singh Kaur Yamamoto Wójcik`,
  ),
  'United Kingdom': names(
    `Oliver Amelia Harry Isla George Ava Jack Emily Charlie Poppy Thomas Freya Alfie Florence Freddie Imogen Rhys Eilidh
    Callum Bronwen Hamish Rosalind Nigel Gemma Graham Tracey Gareth Siân Aled Zoë Mohammed Priya`,
    `Smith Jones Taylor Williams Davies Evans Wilson Thomas Roberts Johnson Walker Wright Robinson Thompson Hughes
    Edwards Green Wood Harris Clarke Patel Khan MacDonald Campbell Stewart Lloyd Pritchard Fairclough Ashworth
    Hollingsworth O'Neill Brontë`,
  ),
  Germany: names(
    `Lukas Anna Jürgen Käthe Maximilian Sophie Felix Lena Jonas Marie Günther Jörg Björn Ursula Sabine Petra Stefan
    Matthias Heike Claudia Wolfgang Renate Karl-Heinz Anneliese Tobias Katharina Sebastian Franziska Emre Aylin`,
    `Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf
    Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Köhler Groß Weiß Jäger Vögele Yılmaz
    Öztürk`,
  ),
  France: names(
    `Gabriel Léa Raphaël Chloé Louis Manon Hugo Camille François Hélène Étienne Amélie René Geneviève Jérôme Aurélie
    Benoît Zoé Théo Inès Jean-Luc Marie-Claire Rémi Noémie Loïc Anaïs Frédéric Céline Mathéo Élodie`,
    `Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefèvre Michel García Bertrand
    Roux Vincent Fournier Morel Girard André Mercier Dupont Lambert Bonnet François Béranger Lemaître Château Gauthier
    Benoît`,
  ),
  Spain: names(
    `Hugo Lucía Martín Sofía Pablo Martina Álvaro María Adrián Paula Iñigo Begoña Jesús Concepción Ramón Mónica Óscar
    Inés Íñigo Nuria Joaquín Rocío Sergio Ángela Rubén Belén`,
    `García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz Hernández Díaz Moreno
    Muñoz Álvarez Romero Gutiérrez Alonso Navarro Domínguez Vázquez Ibáñez Núñez Peña Ortuño Echeverría`,
  ),
  Italy: names(
    `Leonardo Giulia Francesco Sofia Alessandro Aurora Lorenzo Alice Matteo Ginevra Niccolò Chiara Giosuè Beatrice Luca
    Martina Marco Elena Andrea Federica Giovanni Valentina Davide Ilaria`,
    `Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti DeLuca Mancini Costa
    Giordano Rizzo Lombardi Moretti Nicolò Forlì Cantù D'Amico`,
  ),
  Netherlands: names(
    `Noah Emma Daan Julia Sem Mila Lucas Tess Levi Sophie Finn Zoë Jeroen Anouk Joost Femke Maarten Marijke Sjoerd Renée
    Pieter Liesbeth Thijs Noëlle`,
    `Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Brouwer Dijkstra Smits Koster Prins Huisman
    Postma Kuipers Veenstra Zeeman Vermeulen Böhmer Daniëls`,
  ),
  Sweden: names(
    `William Alice Liam Maja Noah Vera Hugo Astrid Lucas Saga Björn Märta Göran Åsa Håkan Kerstin Sören Gunilla Örjan
    Linnéa Anders Ingrid Magnus Ebba`,
    `Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Pettersson Jönsson Lindström
    Lindqvist Bergström Söderberg Åberg Öberg Sjöström Hedlund Nyström Wallin Ekström Björk`,
  ),
}
