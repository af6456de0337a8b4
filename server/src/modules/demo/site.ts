import { phrases } from './word-lists.ts'

/** A web site: its pages, buttons and forms, and the emails that lead there. */
export type Site = {
  pages: readonly string[]
  /** Selectors of clicked elements. */
  buttons: readonly string[]
  forms: readonly { path: string; element: string }[]
  mailings: readonly string[]
}

export type SiteName = 'shop' | 'foundation'

export const sites: Readonly<Record<SiteName, Site>> = {
  shop: {
    pages: phrases(`
      /; /new; /sale; /stores; /jackets; /jackets/alpine-shell; /jackets/down-parka; /boots; /boots/ridge-gtx; /tents;
      /tents/two-person-ultralight; /packs/overnight-45; /climbing/harnesses; /ski-touring; /guides/layering;
      /guides/first-backpacking-trip; /repair-service; /cart; /account/orders
    `),
    buttons: phrases(`
      button.add-to-cart; a.size-guide; button.save-for-later; a.find-in-store; .hero a.call-to-action; nav a.sale;
      button.checkout; video.play
    `),
    forms: [
      { path: '/checkout', element: 'form#checkout' },
      { path: '/newsletter', element: 'form#newsletter' },
      { path: '/stores/book-a-fitting', element: 'form#fitting' },
      { path: '/account/returns', element: 'form#return' },
    ],
    mailings: phrases('welcome; spring-catalog; member-weekend; back-in-stock; trip-ideas; review-request'),
  },
  foundation: {
    pages: phrases(`
      /; /about; /impact; /impact/annual-report; /stories; /stories/new-pier; /stories/night-school; /give; /give/monthly;
      /give/in-honor; /events; /events/winter-gala; /events/harbor-10k; /volunteer; /grants; /contact
    `),
    buttons: phrases(`
      a.donate-now; button.amount-50; button.amount-100; button.make-it-monthly; a.read-story; .hero a.call-to-action;
      a.download-report; video.play
    `),
    forms: [
      { path: '/give', element: 'form#donate' },
      { path: '/give/monthly', element: 'form#pledge' },
      { path: '/events/register', element: 'form#registration' },
      { path: '/volunteer', element: 'form#volunteer' },
    ],
    mailings: phrases('welcome; impact-letter; gala-invitation; year-end-appeal; thank-you; volunteer-call'),
  },
}

/** Browsers and operating systems, weighted by their share. */
export const devices: readonly { browser: string; os: string; weight: number }[] = [
  { browser: 'Chrome', os: 'Windows', weight: 28 },
  { browser: 'Safari', os: 'iOS', weight: 26 },
  { browser: 'Chrome', os: 'Android', weight: 18 },
  { browser: 'Safari', os: 'macOS', weight: 11 },
  { browser: 'Edge', os: 'Windows', weight: 8 },
  { browser: 'Chrome', os: 'macOS', weight: 7 },
  { browser: 'Firefox', os: 'Windows', weight: 4 },
  { browser: 'Samsung Internet', os: 'Android', weight: 3 },
  { browser: 'Firefox', os: 'Linux', weight: 2 },
]
