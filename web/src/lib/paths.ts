/** A query string as it is in an address, or its parameters. */
type Query = string | Record<string, string>

function at(path: string, query: Query = ''): string {
  if (typeof query === 'string') return path + query
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

/** The addresses of all screens, without their account (decision 0024). `app/screens.ts` maps them to screens. */
export const paths = {
  entry: () => '/',
  register: () => '/register',
  forgotPassword: () => '/forgot-password',
  resetPassword: () => '/reset-password',
  confirmSender: () => '/confirm-sender',

  home: () => '/home',
  /** The dashboards that are shared with the user. */
  dashboards: (query?: { dashboard: string }) => at('/dashboards', query),
  downloads: (query?: { search: string }) => at('/downloads', query),
  module: (id: string) => `/module/${id}`,
  profile: () => '/module/user-profile',

  listService: () => '/contact-service',
  /** The dashboards that the account builds. */
  ownDashboards: (query?: { dashboard: string } | { schedules: '1' }) => at('/contact-service/dashboards', query),
  imports: (query?: { name: string }) => at('/contact-service/imports', query),
  exports: (query?: { name: string } | { schedules: '1' }) => at('/contact-service/exports', query),
  contacts: (query?: Query) => at('/contact-service/documents', query),
  contact: (id: string) => `/contact-service/documents/${id}`,
  segments: () => '/contact-service/segments',
  segment: (id: string, query?: { contact: string }) => at(`/contact-service/segments/${id}`, query),
  deletes: () => '/contact-service/deletes',
  indexes: () => '/contact-service/indexes',
  remoteAccess: () => '/contact-service/access',

  iam: () => '/iam',
  identities: (query?: { search: string }) => at('/iam/identities', query),
  people: () => '/iam/people',
  person: (id: string) => `/iam/people/${id}`,
  policies: () => '/iam/policies',
  accounts: () => '/iam/accounts',
  audit: () => '/iam/audit',
  iamScreen: (name: string) => `/iam/${name}`,
} as const
