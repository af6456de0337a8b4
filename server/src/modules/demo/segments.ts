/** A group of contacts with similar behavior. Figures are typical values; those of each contact vary around them. */
export type Segment = {
  name: string
  /** Share of the contacts, relative to the other segments. */
  weight: number
  /** Median of the total spent or given. */
  medianValue: number
  /** Minimum and maximum, from 0 to 100. */
  leadScore: readonly [number, number]
  /** Minimum and maximum of days since the last purchase or gift. */
  daysSinceLast: readonly [number, number]
  /** Share of contacts that have bought or given. */
  hasBought: number
  optedIn: number
  /** Share of contacts with recorded behavior. */
  isActive: number
  /** Minimum and maximum of recorded events. */
  events: readonly [number, number]
  /** Name of the segment that contacts move up to. */
  next: string
}

/** Customers of shops. */
export const shoppers: readonly Segment[] = [
  {
    name: 'VIP',
    weight: 6,
    medianValue: 4200,
    leadScore: [78, 100],
    daysSinceLast: [0, 45],
    hasBought: 1,
    optedIn: 0.95,
    isActive: 0.7,
    events: [7, 12],
    next: 'VIP',
  },
  {
    name: 'Loyal',
    weight: 22,
    medianValue: 1150,
    leadScore: [58, 92],
    daysSinceLast: [3, 120],
    hasBought: 1,
    optedIn: 0.86,
    isActive: 0.48,
    events: [5, 12],
    next: 'VIP',
  },
  {
    name: 'Regular',
    weight: 38,
    medianValue: 340,
    leadScore: [30, 74],
    daysSinceLast: [10, 300],
    hasBought: 1,
    optedIn: 0.72,
    isActive: 0.32,
    events: [3, 9],
    next: 'Loyal',
  },
  {
    name: 'New',
    weight: 18,
    medianValue: 85,
    leadScore: [15, 66],
    daysSinceLast: [0, 60],
    hasBought: 0.6,
    optedIn: 0.8,
    isActive: 0.34,
    events: [3, 7],
    next: 'Regular',
  },
  {
    name: 'Lapsed',
    weight: 16,
    medianValue: 210,
    leadScore: [0, 32],
    daysSinceLast: [365, 1400],
    hasBought: 1,
    optedIn: 0.41,
    isActive: 0.08,
    events: [3, 5],
    next: 'Regular',
  },
]

/** Supporters of a foundation. */
export const donors: readonly Segment[] = [
  {
    name: 'Major Donor',
    weight: 4,
    medianValue: 18_000,
    leadScore: [80, 100],
    daysSinceLast: [5, 180],
    hasBought: 1,
    optedIn: 0.93,
    isActive: 0.6,
    events: [6, 12],
    next: 'Major Donor',
  },
  {
    name: 'Monthly Donor',
    weight: 24,
    medianValue: 960,
    leadScore: [60, 94],
    daysSinceLast: [0, 31],
    hasBought: 1,
    optedIn: 0.91,
    isActive: 0.45,
    events: [4, 12],
    next: 'Major Donor',
  },
  {
    name: 'Annual Donor',
    weight: 34,
    medianValue: 380,
    leadScore: [36, 78],
    daysSinceLast: [20, 400],
    hasBought: 1,
    optedIn: 0.78,
    isActive: 0.32,
    events: [3, 8],
    next: 'Monthly Donor',
  },
  {
    name: 'Prospect',
    weight: 20,
    medianValue: 40,
    leadScore: [8, 55],
    daysSinceLast: [10, 200],
    hasBought: 0.15,
    optedIn: 0.66,
    isActive: 0.28,
    events: [3, 7],
    next: 'Annual Donor',
  },
  {
    name: 'Lapsed Donor',
    weight: 18,
    medianValue: 150,
    leadScore: [0, 35],
    daysSinceLast: [500, 1700],
    hasBought: 1,
    optedIn: 0.44,
    isActive: 0.09,
    events: [3, 5],
    next: 'Annual Donor',
  },
]
