// Style and script of the report: light and dark, screen and paper; values under the pointer.
#include "report.h"
#include "svg.h"

#include <string.h>

static void add_lines(hn_cli_text *text, const char *const *lines) {
  for (int i = 0; lines[i] != NULL; i++) hn_cli_add_bytes(text, lines[i], strlen(lines[i]));
}

void hn_cli_add_page_style(hn_cli_text *text) {
  static const char *const lines[] = {
      ":root{color-scheme:light dark;--paper:#ffffff;--card:#ffffff;--ink:#1b1f24;--quiet:#59636e;"
      "--line:#d8dee4;--grid:#eceff2;--good:#1a7f37;--note:#b36b00;--bad:#cf222e;"
      "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#e69f00;--c5:#56b4e9;--c6:#7f7f7f}"
      "\n",
      "@media (prefers-color-scheme:dark){:root{--paper:#0f1317;--card:#161b21;--ink:#e6eaee;"
      "--quiet:#9aa5b1;--line:#2c343d;--grid:#232a32;--good:#3fb950;--note:#d9a03c;--bad:#ff6b64;"
      "--c0:#4ba6e0;--c1:#f08a4b;--c2:#2fc39a;--c3:#e29ac4;--c4:#f0b93a;--c5:#8accf2;"
      "--c6:#a9a9a9}}\n",
      "*{box-sizing:border-box}\n",
      "body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 "
      "system-ui,-apple-system,"
      "'Segoe UI',Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif}\n",
      "main{max-width:1120px;margin:0 auto;padding:32px 24px 64px}\n",
      "h1{font-size:28px;line-height:1.2;margin:0 0 4px;font-weight:650;letter-spacing:-.01em}\n",
      "h2{font-size:17px;margin:40px 0 12px;font-weight:650;padding-bottom:6px;"
      "border-bottom:1px solid var(--line)}\n",
      "p{margin:0 0 10px}.quiet{color:var(--quiet)}code,pre{font:13px/1.5 ui-monospace,"
      "SFMono-Regular,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace}\n",
      "pre{background:var(--grid);padding:12px 14px;border-radius:6px;overflow-x:auto;"
      "white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 10px}\n",
      ".verdict{border-left:4px solid var(--good);background:var(--card);padding:10px 14px;"
      "margin:18px 0 0;border-radius:0 6px 6px 0;box-shadow:inset 0 0 0 1px var(--line)}\n",
      ".verdict.note{border-left-color:var(--note)}.verdict.bad{border-left-color:var(--bad)}"
      ".verdict b{font-weight:650}.verdict p{margin:2px 0 0;color:var(--quiet)}\n",
      ".machine{display:flex;flex-wrap:wrap;gap:24px 32px;align-items:flex-start}"
      ".machine table{flex:1 1 280px;width:auto}"
      ".machine th{width:1%;padding-right:28px}\n",
      "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:5px 10px 5px 0;"
      "vertical-align:top;border-bottom:1px solid var(--grid)}th{font-weight:400;"
      "color:var(--quiet);white-space:nowrap}tr:last-child>*{border-bottom:0}\n",
      ".num{white-space:nowrap;font-variant-numeric:tabular-nums}\n",
      ".verdicts th{color:var(--ink);font-weight:600}.verdicts td:first-child{width:22px}"
      ".verdicts td:last-child{color:var(--quiet)}\n",
      ".dot{display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--good)}"
      ".dot.note{background:var(--note)}.dot.bad{background:var(--bad)}\n",
      "figure{margin:0;min-width:0}.plots{display:grid;gap:16px;"
      "grid-template-columns:repeat(auto-fill,minmax(min(100%,480px),1fr))}\n",
      ".plot{position:relative;background:var(--card);border:1px solid var(--line);"
      "border-radius:8px;padding:6px}.plot svg{display:block;width:100%;height:auto}\n",
      ".cursor{stroke:var(--quiet);stroke-width:1;pointer-events:none}"
      ".mark{stroke:var(--card);stroke-width:1.5;pointer-events:none}\n",
      ".tip{position:absolute;pointer-events:none;z-index:2;background:var(--card);"
      "border:1px solid var(--line);border-radius:6px;padding:5px 9px;font-size:12px;"
      "line-height:1.45;white-space:nowrap;box-shadow:0 2px 10px rgba(0,0,0,.14);"
      "font-variant-numeric:tabular-nums}.tip i{display:inline-block;width:10px;height:3px;"
      "margin-right:6px;vertical-align:middle}.tip b{font-weight:600}\n",
      ".topology svg{width:100%;height:auto;display:block}.topology text{font:11px Helvetica,Arial,"
      "'Liberation Sans','DejaVu Sans',sans-serif;fill:var(--ink)}\n",
      ".scene{position:relative;margin-top:20px}.scene svg,.scene iframe{display:block;width:100%;"
      "height:auto;border:1px solid var(--line);border-radius:8px;background:#f4f5f7}"
      ".scene iframe{aspect-ratio:16/9}.scene "
      "button{position:absolute;right:14px;top:14px;font:inherit;"
      "padding:6px 14px;border-radius:6px;border:1px solid #c8ced6;background:#fff;color:#1b1f24;"
      "cursor:pointer}.scene button:hover{background:#eef1f4}\n",
      "figcaption{color:var(--quiet);font-size:13px;margin-top:6px}\n",
      ".bd{fill:var(--card);stroke:var(--quiet);stroke-width:1.2}.bd.gd{fill:var(--grid)}\n",
      ".jt path{fill:none;stroke:var(--c0);stroke-width:1.6}.jt.rd path{stroke:var(--note);"
      "stroke-width:2.4;stroke-dasharray:7 4}.jt.cl path{stroke:var(--c2);stroke-dasharray:9 3 2 "
      "3}.jt.fr path{stroke:var(--quiet);stroke-width:1.2;"
      "stroke-dasharray:2 4}\n",
      ".topology .nm "
      "text{font-size:10.5px;pointer-events:none;paint-order:stroke;stroke:var(--paper);stroke-"
      "width:4px;"
      "stroke-linejoin:round}.topology .nm .ty{fill:var(--quiet);font-size:9.5px}\n",
      ".fc path{stroke:var(--quiet);stroke-width:1;stroke-dasharray:1.5 3.5}"
      ".key{display:inline-block;width:26px;vertical-align:middle;margin-left:8px}"
      ".clkey{border-top:2.5px dashed var(--c2)}.rdkey{border-top:3px dashed "
      "var(--note)}.fckey{border-top:2px dotted var(--quiet)}\n",
      "footer{margin-top:40px;color:var(--quiet);font-size:13px}\n",
      "@media (max-width:760px){main{padding:20px 14px}}\n",
      "@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--quiet:#444;--line:#ccc;"
      "--grid:#eaeaea}body{font-size:11pt}main{max-width:none;padding:0}"
      ".plots{grid-template-columns:1fr 1fr}figure,tr,.verdict,pre{break-inside:avoid}"
      "h2{break-after:avoid}.tip,.cursor,.mark,.scene button,.hint{display:none}}\n",
      NULL};
  add_lines(text, lines);
  hn_svg_add_style(text, 1);
}

void hn_cli_add_page_script(hn_cli_text *text) {
  static const char *const lines[] = {
      "'use strict';\n",
      "const data=JSON.parse(document.getElementById('data').textContent);\n",
      "const time=data.time,figures=[...document.querySelectorAll('.plot')];\n",
      "const make=(name,attributes,parent)=>{\n",
      "  const node=document.createElementNS('http://www.w3.org/2000/svg',name);\n",
      "  for(const key in attributes)node.setAttribute(key,attributes[key]);\n",
      "  parent.appendChild(node);return node};\n",
      "const place=(low,high,log,value)=>log?Math.log(value/low)/Math.log(high/low)"
      ":(value-low)/(high-low);\n",
      "function nearest(t){let a=0,b=time.length-1;\n",
      "  while(b-a>1){const m=(a+b)>>1;if(time[m]<=t)a=m;else b=m}\n",
      "  return t-time[a]<time[b]-t?a:b}\n",
      "const number=v=>{if(v===null)return'—';const m=Math.abs(v);\n",
      "  return m!==0&&(m<1e-3||m>=1e6)?v.toExponential(3):String(+v.toPrecision(6))};\n",
      "function clear(){document.querySelectorAll('.cursor,.mark,.tip').forEach(n=>n.remove())}\n",
      "function mark(figure,i){const p=data.plots[+figure.dataset.plot],"
      "svg=figure.querySelector('svg'),[l,t,w,h]=p.area;\n",
      "  const x=l+w*place(p.x[0],p.x[1],0,time[i]);\n",
      "  make('line',{class:'cursor',x1:x,x2:x,y1:t,y2:t+h},svg);\n",
      "  for(const s of p.series){const v=s.v[i];if(v===null||(p.log&&v<=0))continue;\n",
      "    make('circle',{class:'mark',r:3.5,cx:x,cy:t+h*(1-place(p.y[0],p.y[1],p.log,v)),"
      "style:`fill:var(--c${s.c})`},svg)}\n",
      "  return x}\n",
      "function tip(figure,i,x){const p=data.plots[+figure.dataset.plot],"
      "box=figure.querySelector('svg').getBoundingClientRect();\n",
      "  const div=document.createElement('div');div.className='tip';\n",
      "  const row=(name,value,unit,colour)=>{const line=document.createElement('div');\n",
      "    if(colour!==null){const key=document.createElement('i');"
      "key.style.background=`var(--c${colour})`;line.appendChild(key)}\n",
      "    line.append(name+'  ');const bold=document.createElement('b');"
      "bold.textContent=number(value);line.appendChild(bold);line.append(' '+unit);"
      "div.appendChild(line)};\n",
      "  row('time',time[i],'s',null);for(const s of p.series)row(s.n,s.v[i],s.u,s.c);\n",
      "  figure.appendChild(div);const scale=box.width/p.size[0],left=6+x*scale;\n",
      "  const flip=left+div.offsetWidth+18>figure.clientWidth;\n",
      "  div.style.left=(flip?Math.max(4,left-div.offsetWidth-12):left+12)+'px';"
      "div.style.top=(6+p.area[1]*scale+6)+'px'}\n",
      "for(const figure of figures){\n",
      "  figure.addEventListener('pointermove',event=>{\n",
      "    const p=data.plots[+figure.dataset.plot],"
      "box=figure.querySelector('svg').getBoundingClientRect();\n",
      "    const at=(event.clientX-box.left)*p.size[0]/box.width,f=(at-p.area[0])/p.area[2];\n",
      "    clear();if(f<-.02||f>1.02||time.length<2)return;\n",
      "    const i=nearest(p.x[0]+f*(p.x[1]-p.x[0]));\n",
      "    for(const other of figures){const "
      "x=mark(other,i);if(other===figure)tip(figure,i,x)}});\n",
      "  figure.addEventListener('pointerleave',clear)}\n",
      "const viewer=document.getElementById('viewer'),show=document.querySelector('.scene "
      "button');\n",
      "if(viewer&&show){show.hidden=false;show.onclick=()=>{\n",
      "  const frame=document.createElement('iframe');frame.title='The machine in 3-D';\n",
      "  frame.srcdoc=JSON.parse(viewer.textContent);\n",
      "  document.querySelector('.scene svg').replaceWith(frame);show.remove()}}\n",
      NULL};
  add_lines(text, lines);
}
