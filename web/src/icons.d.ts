/** One icon per file: a build touches only the icons in use. */
declare module '#icons/*' {
  import type { ComponentType, SVGProps } from 'react'
  /** `size` in pixels, 24 if not given; `stroke` is the line width on the 24-pixel grid. */
  const icon: ComponentType<Omit<SVGProps<SVGSVGElement>, 'stroke'> & { size?: number | string; stroke?: number }>
  export default icon
}
