/** The product's logo: a portico. Decorative, since the name is next to it. */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="7" fill="#3f6fdc" />
      <path
        d="M6 12.5 16 6l10 6.5M8.5 25v-9.5M16 25v-9.5M23.5 25v-9.5M6.5 26h19"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
