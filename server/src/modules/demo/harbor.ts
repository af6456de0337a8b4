import * as column from './columns.ts'
import { type DemoAccount, onTheMap, stages, withPurl } from './demo-account.ts'
import { harborAccess, harborEventsPeople, harborFundPeople, harborFundServices, harborPeople } from './people.ts'
import { donors } from './segments.ts'

const { donorColumns, pledgeColumns } = column

const newEngland = ['MA', 'NH', 'RI', 'CT', 'ME', 'VT']

const givingFoundation: DemoAccount = {
  name: 'Harbor Giving Foundation',
  parent: null,
  timeZone: 'America/New_York',
  population: { size: 1000, region: 'us', segments: donors, home: newEngland },
  site: 'foundation',
  access: harborAccess,
  people: harborPeople,
  imports: [
    {
      name: 'Friends of the foundation',
      file: {
        fileName: 'friends.csv',
        delimiter: 'comma',
        columns: donorColumns,
        brings: [0, 1000],
        dates: 'american',
      },
      settings: { ...withPurl, ...onTheMap },
    },
  ],
  exports: [
    {
      name: 'Major donors of New England',
      delimiter: 'csv',
      exportFields: ['First Name', 'Last Name', 'Email', 'City', 'State', 'Lifetime Giving', 'Last Gift', 'purl'],
      aggregateQuery: stages({ $match: { Segment: 'Major Donor', State: { $in: newEngland } } }),
    },
  ],
}

const annualFund: DemoAccount = {
  name: 'Harbor Annual Fund',
  parent: 'Harbor Giving Foundation',
  timeZone: 'America/New_York',
  population: { size: 2500, region: 'us', segments: donors, home: newEngland },
  site: 'foundation',
  people: harborFundPeople,
  services: harborFundServices,
  imports: [
    {
      name: 'Donors of the last five years',
      file: {
        fileName: 'donors.csv',
        delimiter: 'comma',
        columns: [...donorColumns, column.appeal],
        brings: [0, 2500],
        dates: 'american',
      },
      settings: { ...withPurl, ...onTheMap },
    },
    {
      name: 'Pledges of this quarter',
      file: {
        fileName: 'pledges.csv',
        delimiter: 'comma',
        columns: pledgeColumns,
        brings: [2500, 2500],
        repeatsEvery: 6,
        dates: 'american',
      },
      settings: { ...withPurl, ...onTheMap },
    },
    {
      name: 'Pledges of last quarter, by mistake',
      file: {
        fileName: 'pledges-old.csv',
        delimiter: 'comma',
        columns: donorColumns,
        brings: [2500, 2500],
        repeatsEvery: 50,
        dates: 'american',
      },
      isUndone: true,
      settings: { ...withPurl, ...onTheMap },
    },
  ],
  exports: [
    {
      name: 'Lapsed donors for the spring appeal',
      delimiter: 'csv',
      exportFields: ['First Name', 'Last Name', 'Street', 'City', 'State', 'Zip', 'Appeal', 'Last Gift', 'purl'],
      aggregateQuery: stages({ $match: { Segment: 'Lapsed Donor', 'Opted In': true } }),
    },
  ],
}

const harborEvents: DemoAccount = {
  name: 'Harbor Events',
  parent: 'Harbor Giving Foundation',
  timeZone: 'America/Los_Angeles',
  population: { size: 1000, region: 'us', segments: donors, home: ['CA', 'OR', 'WA'] },
  site: 'foundation',
  people: harborEventsPeople,
  imports: [
    {
      name: 'Winter gala guests',
      file: {
        fileName: 'gala-guests.csv',
        delimiter: 'comma',
        columns: [...donorColumns, column.guests, column.dietaryNeeds],
        brings: [0, 400],
        dates: 'iso',
      },
      settings: { purlGenerationScope: 'import', ...onTheMap },
    },
    {
      // Not cast: a bib number is a name, not a quantity.
      name: 'Harbor 10K runners',
      file: {
        fileName: 'runners.txt',
        delimiter: 'tab',
        columns: [...donorColumns, column.bibNumber, column.shirtSize],
        brings: [400, 1000],
        dates: 'iso',
      },
      settings: { purlGenerationScope: 'import', typeCasting: false, ...onTheMap },
    },
  ],
  exports: [
    {
      name: 'Guests of the gala as a workbook',
      delimiter: 'xlsx',
      exportFields: ['First Name', 'Last Name', 'Email', 'Birth Date', 'Lifetime Giving', 'Guests', 'Dietary Needs'],
      aggregateQuery: stages({ $match: { Guests: { $exists: true } } }),
    },
    {
      name: 'Runners and their shirts',
      delimiter: 'csv',
      exportFields: ['Bib Number', 'First Name', 'Last Name', 'T-shirt Size', 'Phone'],
      aggregateQuery: stages({ $match: { 'Bib Number': { $exists: true } } }, { $sort: { 'Bib Number': 1 } }),
    },
  ],
}

/** A charitable foundation: a parent account with two sub-accounts. */
export const harbor: readonly DemoAccount[] = [givingFoundation, annualFund, harborEvents]
