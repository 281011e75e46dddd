// SPDX-License-Identifier: GPL-2.0-only
// What needs a script: the theme button, the search for a page frame, and charts
// that can be zoomed. Everything else in the page works without.
'use strict';
(() => {
	const root = document.documentElement;
	const byId = (id) => document.getElementById(id);
	const charts = [];

	// theme: auto, then light, then dark
	const themes = ['auto', 'light', 'dark'];
	let theme = 0;
	byId('theme').hidden = false;
	byId('theme').addEventListener('click', () => {
		theme = (theme + 1) % themes.length;
		if (theme)
			root.dataset.theme = themes[theme];
		else
			delete root.dataset.theme;
		byId('theme').textContent = 'Theme: ' + themes[theme];
		draw();
	});
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw());

	// search: decimal, or hexadecimal with 0x, as on the command line
	const input = byId('pfn');
	const found = byId('found');
	const stories = [...document.querySelectorAll('.story')];
	function search() {
		const text = input.value.trim();
		let nr = 0, first = null, pfn = NaN;

		if (/^0x[0-9a-f]+$/i.test(text))
			pfn = parseInt(text, 16);
		else if (/^[0-9]+$/.test(text))
			pfn = parseInt(text, 10);
		for (const story of stories) {
			const match = !text || Number(story.dataset.pfn) === pfn;

			story.hidden = !match;
			if (match && text) {
				nr++;
				first = first || story;
			}
		}
		if (!text)
			found.textContent = `${stories.length} page frames`;
		else if (Number.isNaN(pfn))
			found.textContent = 'Not a number: use 19654 or 0x4cc6.';
		else if (!nr)
			found.textContent = `Page frame ${text} is not among the ${stories.length} here. ` +
				`folioscope folio FILE ${text} tells its story, html --pfn ${text} includes it.`;
		else
			found.textContent = `${nr} found`;
		if (first)
			first.querySelector('details').open = true;
	}
	if (input) {
		byId('search').hidden = false;
		input.addEventListener('input', search);
		byId('search').addEventListener('submit', (event) => {
			event.preventDefault();
			search();
		});
		search();
	}

	// zoomable charts over the same data as the pictures
	const data = JSON.parse(byId('timeline-data').textContent);
	function style(name) {
		return getComputedStyle(root).getPropertyValue(name).trim();
	}
	function draw() {
		for (const chart of charts.splice(0))
			chart.destroy();
		for (const box of document.querySelectorAll('.zoom')) {
			const side = data[Number(box.dataset.side)];
			const colours = side.series.map((s) => style(s.colour));
			const axis = { stroke: style('--fg'), grid: { stroke: style('--line'), width: 1 },
				ticks: { stroke: style('--line'), width: 1 } };

			box.hidden = false;
			charts.push(new uPlot({
				width: Math.max(300, box.clientWidth - 16),
				height: 260,
				title: side.title,
				scales: { x: { time: false } },
				axes: [{ ...axis, label: 'time since the first event [s]' },
					{ ...axis, label: 'pages', size: 70 }],
				series: [{ label: 's', value: (u, v) => v === null ? '-' : v.toFixed(4) }].concat(
					side.series.map((s, i) => ({ label: s.name, stroke: colours[i],
						width: 1.5, dash: s.dash ? [6, 4] : undefined }))),
			}, [side.x].concat(side.series.map((s) => s.y)), box));
		}
	}
	draw();
	let pending = 0;
	addEventListener('resize', () => {
		clearTimeout(pending);
		pending = setTimeout(draw, 200);
	});
})();
