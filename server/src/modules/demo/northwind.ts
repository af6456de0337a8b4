import * as column from './columns.ts'
import { type DemoAccount, onTheMap, stages, withPurl } from './demo-account.ts'
import {
  northwindAccess,
  northwindEuropePeople,
  northwindEuropeServices,
  northwindPeople,
  northwindUsPeople,
  northwindUsServices,
} from './people.ts'
import { shoppers } from './segments.ts'

const { customerColumns } = column

const outdoorGroup: DemoAccount = {
  name: 'Northwind Outdoor Group',
  parent: null,
  timeZone: 'America/Denver',
  population: { size: 3000, region: 'us', segments: shoppers, home: ['CO', 'UT', 'WY', 'MT', 'ID'] },
  site: 'shop',
  access: northwindAccess,
  people: northwindPeople,
  imports: [
    {
      name: 'Loyalty program members',
      file: {
        fileName: 'loyalty-members.csv.gz',
        delimiter: 'comma',
        columns: [...customerColumns, column.loyaltyNumber, column.favoriteStore],
        brings: [0, 2400],
        dates: 'iso',
      },
      settings: { ...withPurl, ...onTheMap, exportOnImportCompletion: true },
    },
    {
      name: 'Newsletter sign-ups in stores',
      file: {
        fileName: 'store-newsletter.txt',
        delimiter: 'tab',
        columns: [
          column.firstName,
          column.lastName,
          column.email,
          column.zip,
          column.optedIn,
          column.segment,
          column.leadScore,
          column.signUpSource,
        ],
        brings: [2400, 3000],
        dates: 'iso',
      },
      settings: withPurl,
    },
  ],
  exports: [
    {
      name: 'Loyal members by store',
      delimiter: 'csv',
      exportFields: ['Loyalty Number', 'First Name', 'Last Name', 'Email', 'Favorite Store', 'Lifetime Value', 'purl'],
      aggregateQuery: stages({ $match: { Segment: { $in: ['VIP', 'Loyal'] }, 'Opted In': true } }),
    },
  ],
}

const northwindUs: DemoAccount = {
  name: 'Northwind US',
  parent: 'Northwind Outdoor Group',
  timeZone: 'America/New_York',
  population: { size: 9000, region: 'us', segments: shoppers },
  site: 'shop',
  people: northwindUsPeople,
  services: northwindUsServices,
  imports: [
    {
      name: 'Web store customers',
      file: {
        fileName: 'web-store-customers.csv',
        delimiter: 'comma',
        columns: customerColumns,
        brings: [0, 6000],
        dates: 'iso',
      },
      settings: { ...withPurl, ...onTheMap },
    },
    {
      name: 'Retail store customers',
      file: {
        fileName: 'retail-customers.csv',
        delimiter: 'pipe',
        columns: [...customerColumns, column.storeVisits],
        brings: [6000, 8600],
        brokenRows: 9,
        dates: 'american',
      },
      settings: { ...withPurl, ...onTheMap, processBatchSize: 50 },
    },
    {
      name: 'Spring catalog update',
      file: {
        fileName: 'spring-catalog.csv',
        delimiter: 'comma',
        columns: customerColumns,
        brings: [8600, 9000],
        repeatsEvery: 8,
        dates: 'american',
      },
      settings: { ...withPurl, ...onTheMap },
    },
  ],
  exports: [
    {
      name: 'VIP customers above 5,000',
      delimiter: 'csv',
      exportFields: ['First Name', 'Last Name', 'Email', 'City', 'State', 'Lifetime Value', 'Last Purchase', 'purl'],
      aggregateQuery: stages(
        { $match: { Segment: 'VIP', 'Lifetime Value': { $gte: 5000 } } },
        { $sort: { 'Lifetime Value': -1 } },
      ),
    },
    {
      name: 'California mailing list',
      delimiter: 'pipe',
      exportFields: ['First Name', 'Last Name', 'Street', 'City', 'State', 'Zip', 'purl'],
      aggregateQuery: stages({ $match: { State: 'CA', 'Opted In': true } }),
    },
  ],
}

const northwindEurope: DemoAccount = {
  name: 'Northwind Europe',
  parent: 'Northwind Outdoor Group',
  timeZone: 'Europe/Berlin',
  population: { size: 3500, region: 'europe', segments: shoppers },
  site: 'shop',
  people: northwindEuropePeople,
  services: northwindEuropeServices,
  imports: [
    {
      name: 'European web store',
      file: {
        fileName: 'eu-web-store.txt',
        delimiter: 'tab',
        columns: customerColumns,
        brings: [0, 2900],
        dates: 'iso',
      },
      settings: { ...withPurl, ...onTheMap },
    },
    {
      name: 'Outdoor trade fair leads',
      file: {
        fileName: 'trade-fair.csv',
        delimiter: 'pipe',
        columns: [
          column.firstName,
          column.lastName,
          column.email,
          column.company,
          column.jobTitle,
          column.country,
          column.phone,
          column.leadScore,
          column.segment,
          column.interest,
          column.notes,
        ],
        headers: { 'First Name': 'Vorname', 'Last Name': 'Nachname', Email: 'E-Mail', Country: 'Land' },
        brings: [2900, 3500],
        dates: 'iso',
      },
      settings: {
        ...withPurl,
        columnMapping: {
          Vorname: 'First Name',
          Nachname: 'Last Name',
          'E-Mail': 'Email',
          Land: 'Country',
          Notes: null,
        },
      },
    },
  ],
  exports: [
    {
      name: 'Customers in Germany and France',
      delimiter: 'tab',
      exportFields: ['First Name', 'Last Name', 'Email', 'City', 'Country', 'Segment', 'Last Purchase', 'purl'],
      aggregateQuery: stages({ $match: { Country: { $in: ['Germany', 'France'] }, 'Opted In': true } }),
    },
  ],
}

/** An outdoor retailer: a parent account with two sub-accounts. */
export const northwind: readonly DemoAccount[] = [outdoorGroup, northwindUs, northwindEurope]
