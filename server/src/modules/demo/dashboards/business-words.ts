import type { DemoAccount } from '../demo-account.ts'

/** Names of an account's contacts and business, and of the fields about that business. */
export type BusinessWords = {
  /** Title of the dashboard about the business. */
  business: string
  people: string
  /** Name of the number field with the total that a contact has spent or given. */
  value: string
  /** Name of the date field of the last purchase or gift. */
  last: string
  recent: string
  total: string
  average: string
  best: string
  lesson: readonly string[]
  currency: '$' | '€'
  /** The field of the map, and the options that choose it. */
  place: string
  map: Record<string, string>
}

const shop = {
  business: 'Sales',
  people: 'Customers',
  value: 'Lifetime Value',
  last: 'Last Purchase',
  recent: 'Customers who bought',
  total: 'Customer lifetime value',
  average: 'Average per customer',
  best: 'Best customers',
  lesson: [
    '**Few VIPs, a third of the revenue.** VIPs are about one customer in seventeen. Click their slice to see where they shop,',
    'then look at *Loyal*: that is where the next VIPs come from.',
    '',
    '- Not bought for a year? Filter by *Lapsed* and send a win-back offer.',
    '- New customers decide within 60 days. Make the second purchase easy.',
  ],
}

const foundation = {
  business: 'Giving',
  people: 'Supporters',
  value: 'Lifetime Giving',
  last: 'Last Gift',
  recent: 'Donors who gave',
  total: 'Lifetime giving',
  average: 'Average per supporter',
  best: 'Most generous donors',
  lesson: [
    '**A handful of major donors give more than everyone else combined.** Call them before the year-end appeal goes out.',
    'Monthly donors come next: they give reliably, and they open almost every letter.',
    '',
    '- No gift for over a year? Filter by *Lapsed Donor* and say what their last gift made possible.',
    '- Prospects who read a story are warm. Invite them to an event.',
  ],
}

/** Returns the words for an account's business. */
export function wordsOf({ site, population }: DemoAccount): BusinessWords {
  const words = site === 'shop' ? shop : foundation
  return population.region === 'us'
    ? { ...words, currency: '$', place: 'State', map: { region: 'US', resolution: 'provinces' } }
    : { ...words, currency: '€', place: 'Country', map: { region: '150' } }
}
