import {
  ActionIcon,
  type AlertProps,
  type BadgeProps,
  Button,
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type DrawerProps,
  type InputProps,
  type LoaderProps,
  type MantineColorsTuple,
  type MantineTheme,
  type ModalProps,
  Paper,
  parseThemeColor,
  type SelectProps,
  type TooltipProps,
  type VariantColorsResolver,
} from '@mantine/core'

const brand: MantineColorsTuple = [
  '#edf2fe',
  '#dce5fb',
  '#b8c9f4',
  '#91abed',
  '#6f91e7',
  '#5580e3',
  '#3e6dd8',
  '#2f58c0',
  '#274cab',
  '#1b3c92',
]

/** Slate: Mantine's own dark grays look brown next to blue. */
const dark: MantineColorsTuple = [
  '#dbe1ea',
  '#b3bccb',
  '#8f9bae',
  '#6b788d',
  '#3a4556',
  '#2c3544',
  '#232b38',
  '#1b212c',
  '#141922',
  '#0f131a',
]

/** Light variants with text dark enough on their tint (WCAG AA). */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  if (input.variant !== 'light') return colors
  const { color, isThemeColor } = parseThemeColor({
    color: input.color ?? input.theme.primaryColor,
    theme: input.theme,
  })
  if (!isThemeColor) return colors
  const readable = `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9) 70%, #000), var(--mantine-color-${color}-2))`
  return { ...colors, color: readable }
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: { '--ui-bar-height': '52px', '--mantine-color-red-text': 'var(--mantine-color-error)' },
  light: {
    '--mantine-color-text': '#141b29',
    '--mantine-color-dimmed': '#566275',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-placeholder': '#6b7688',
    '--mantine-color-default-border': '#cfd6e0',
    '--ui-page': '#f3f5f9',
    '--ui-surface': '#ffffff',
    '--ui-surface-sunk': '#f7f8fb',
    '--ui-border': '#dfe4ec',
    '--ui-hover': '#f1f4f9',
    '--ui-bar': '#182548',
    '--ui-bar-border': '#182548',
    '--ui-selected': '#e7eefd',
    '--ui-selected-text': '#1f469f',
    '--ui-link': '#274cab',
  },
  dark: {
    '--mantine-color-dimmed': '#9aa7ba',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#8592a6',
    '--ui-page': '#11151c',
    '--ui-surface': '#1b212c',
    '--ui-surface-sunk': '#171c26',
    '--ui-border': '#2f3847',
    '--ui-hover': '#222a37',
    '--ui-bar': '#151b28',
    '--ui-bar-border': '#2f3847',
    '--ui-selected': '#223461',
    '--ui-selected-text': '#c5d4fa',
    '--ui-link': '#91abed',
  },
})

/** The list of options itself scrolls, not a box in it: screen readers and axe know that arrow keys move in a list. */
const scrollingOptions = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 250, overflowY: 'auto', scrollbarWidth: 'thin' } },
} as const

/**
 * Dense and calm: 13 px text, 30 px controls. Sizes are set only here; screens set none. Components that the shell does
 * not use are styled by name: importing them would add them to every first load.
 */
export const theme = createTheme({
  primaryColor: 'brand',
  colors: { brand, dark },
  primaryShade: { light: 7, dark: 6 },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontFamily: "'Inter Variable', system-ui, sans-serif",
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.3' },
      h2: { fontSize: '16px', lineHeight: '1.4' },
      h3: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  radius: { xs: '3px', sm: '6px', md: '8px' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver,
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray', size: 28 } }),
    Alert: { defaultProps: { radius: 'md' } satisfies Partial<AlertProps> },
    Autocomplete: scrollingOptions,
    Badge: { defaultProps: { radius: 'sm', variant: 'light' } satisfies Partial<BadgeProps> },
    Button: Button.extend({ defaultProps: { size: 'xs' }, styles: { label: { fontWeight: 600 } } }),
    Input: {
      vars: (_theme: MantineTheme, { size }: InputProps) => ({
        wrapper: size === 'xs' ? { '--input-fz': '13px' } : {},
      }),
      defaultProps: { size: 'xs' } satisfies Partial<InputProps>,
    },
    // A bare element may have no label. Those without one are hidden from screen readers.
    Loader: { defaultProps: { role: 'img' } satisfies Partial<LoaderProps> },
    InputWrapper: {
      defaultProps: { size: 'xs' },
      styles: {
        label: { fontSize: '13px', fontWeight: 550, marginBottom: '3px' },
        description: { fontSize: '12px' },
        error: { fontSize: '12px' },
      },
    },
    // Options as large as the fields they fill.
    Combobox: { vars: () => ({ options: { '--combobox-option-fz': '13px' }, dropdown: {} }) },
    Drawer: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } satisfies Partial<DrawerProps>,
      styles: { title: { fontWeight: 650, fontSize: '15px' } },
    },
    // It renders as <header>, which screen readers would take for the page's.
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        // No blur: without a graphics card, each letter typed in a dialog would blur the page again.
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { transition: 'fade', duration: 120 },
      } satisfies Partial<ModalProps>,
      styles: { title: { fontWeight: 650, fontSize: '16px' } },
    },
    Paper: Paper.extend({ defaultProps: { radius: 'md', withBorder: true } }),
    // Opens on a click, an arrow key or typing: a list that opens on focus hides the message of its field, and screen
    // readers miss one that opens as its field appears.
    Select: {
      ...scrollingOptions,
      defaultProps: { ...scrollingOptions.defaultProps, openOnFocus: false } satisfies Partial<SelectProps>,
    },
    MultiSelect: scrollingOptions,
    TagsInput: scrollingOptions,
    Tooltip: {
      defaultProps: {
        withArrow: true,
        openDelay: 250,
        events: { hover: true, focus: true, touch: false },
      } satisfies Partial<TooltipProps>,
    },
  },
})
