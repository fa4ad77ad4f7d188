# tflm_tools: render: the style sheet of a report, for light and dark, wide and narrow screens
# MIT license; Copyright (c) 2026 the tflm authors

from .svg import style

_CSS = """
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1.25rem 4rem;background:var(--paper);
color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:2.4rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--grid)}
h3{font-size:1rem;margin:1.4rem 0 .4rem}
p{margin:.4rem 0}
.dim{color:var(--dim)}
.bad{color:var(--peak);font-weight:600}
.good{font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.6rem;
margin:1.2rem 0}
.tile{background:var(--band);border-radius:.6rem;padding:.7rem .9rem}
.tile b{display:block;font-size:1.2rem;white-space:nowrap;line-height:1.3;
font-variant-numeric:tabular-nums}
.tile span{color:var(--dim);font-size:.85rem}
.wide{overflow-x:auto;-webkit-overflow-scrolling:touch}
table{border-collapse:collapse;width:100%;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:.28rem .7rem .28rem 0;text-align:left;vertical-align:top;white-space:nowrap}
th{color:var(--dim);font-weight:600;border-bottom:1px solid var(--dim)}
td{border-bottom:1px solid var(--grid)}
td.text{white-space:normal;min-width:9rem}
.n{text-align:right}
tr.peak td{font-weight:600}
.bar{display:inline-block;height:.7em;background:var(--b0);border-radius:2px;min-width:1px}
pre{background:var(--band);border-radius:.6rem;padding:.8rem 1rem;overflow-x:auto;
font:.84rem/1.5 ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;
overflow-wrap:normal}
svg{display:block;height:auto}
.fit svg{max-width:max(100%,46rem)}
.graph svg{max-width:100%}
details{margin:.6rem 0}
summary{cursor:pointer;font-weight:600}
footer{margin-top:3rem;color:var(--dim);font-size:.85rem}
@media(max-width:40rem){body{padding:1rem .8rem 3rem}}
@media print{details{display:block}}
"""


def page_style():
    """Return the CSS of the page."""
    return style(":root") + _CSS.replace("\n", "")
