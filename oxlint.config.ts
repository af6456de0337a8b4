import { defineConfig, type OxlintOverride } from 'oxlint'

/** Server modules, lowest first. Each may import only earlier ones, and only through their #name. */
const modules = [
  'audit',
  'accounts',
  'persons',
  'access',
  'credentials',
  'sign-in',
  'files',
  'profile',
  'contacts',
  'geocoding',
  'filters',
  'saved-filters',
  'search',
  'segments',
  'indexes',
  'senders',
  'delivery',
  'scheduler',
  'imports',
  'exports',
  'dashboards',
  'reports',
  'remote-access',
  'downloads',
  'deletes',
  'dedup-keys',
  'contact-edits',
  'fields',
  'import-undos',
  'delete-undos',
  'hand-overs',
  'activity',
  'demo',
]

const forbid = (files: string, group: string[], message: string): OxlintOverride => ({
  files: [files],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
})

const stay = (files: string, group: string[], message: string): OxlintOverride =>
  forbid(files, ['../**', ...group], message)

/** A folder with subfolders, one level deep: these may import from the rest of the folder, but nothing beyond. */
const stayWithRooms = (folder: string, group: string[], message: string): OxlintOverride[] => [
  stay(`${folder}/**`, group, message),
  forbid(`${folder}/*/**`, ['../../**', ...group], message),
]

export default defineConfig({
  ignorePatterns: ['node_modules', '**/dist', 'data'],
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'react', 'jsx-a11y', 'vitest'],
  categories: { correctness: 'error' },
  rules: {
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    eqeqeq: 'error',
    'no-console': 'error',
  },
  overrides: [
    ...stayWithRooms(
      'domain/src',
      ['@portico/contract/*', '#*', '#*/**', 'zod', 'kysely', 'pg', 'react', 'node:*'],
      'The domain knows neither schemas, HTTP, SQL nor the browser.',
    ),
    ...stayWithRooms('contract/src', [], 'The contract imports nothing but the domain.'),
    stay('page-script/src/**', ['#*', '#*/**'], 'The page script runs on any site: it imports nothing else.'),
    ...stayWithRooms(
      'server/src/platform',
      modules.map((name) => `#${name}`),
      'Platform knows no module.',
    ),
    ...modules.flatMap((name, level) =>
      stayWithRooms(
        `server/src/modules/${name}`,
        modules.slice(level + 1).map((above) => `#${above}`),
        `${name} may import: #platform, ${
          modules
            .slice(0, level)
            .map((below) => `#${below}`)
            .join(', ') || 'no other module'
        }.`,
      ),
    ),
    forbid(
      'server/src/modules/imports/reading/**',
      ['../**', '!../workbook/**', '#*', '#*/**'],
      'Reading turns the bytes of a file into rows and values; it knows nothing of an import.',
    ),
    forbid(
      'server/src/modules/imports/workbook/**',
      ['../**', '!../reading/**', '#*', '#*/**', '!#test/**'],
      'This room turns a workbook into the text of a sheet; it knows nothing of an import.',
    ),
    stay(
      'web/src/ui/**',
      ['#lib/**', '!#lib/store.ts', '#domain/**', '#features/**', '@portico/**'],
      'ui/ draws; it knows nothing of the portal.',
    ),
    stay(
      'web/src/lib/**',
      ['#ui/**', '#domain/**', '#features/**'],
      'lib/ draws nothing, and knows neither the domain nor a feature.',
    ),
    // Its tests enter text into forms.
    stay(
      'web/src/lib/**/*.test.{ts,tsx}',
      ['#domain/**', '#features/**'],
      'lib/ knows neither the domain nor a feature.',
    ),
    ...stayWithRooms('web/src/domain/*', ['#features/**'], 'The domain is shared by features, and knows none.'),
    ...stayWithRooms('web/src/features/*', ['#features/**'], 'Features meet in web/src/app.'),
    {
      files: ['**/*.tsx'],
      rules: { 'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }] },
    },
    {
      files: ['**/*.test.ts', '**/*.test.tsx', 'e2e/**'],
      rules: { 'max-lines-per-function': 'off' },
    },
    // Conditions of values in the filter language are named as in MongoDB: `{$cond: {if: …, then: …}}`.
    {
      files: [
        'contract/src/filter-stages.ts',
        'domain/src/pipeline/**',
        'server/**',
        'web/**/*.test.ts',
        'web/**/*.test.tsx',
      ],
      rules: { 'unicorn/no-thenable': 'off' },
    },
    // Command lines print to a terminal.
    { files: ['scripts/**', 'bench/**'], rules: { 'no-console': 'off' } },
    { files: ['*.config.ts', '**/*.config.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
})
