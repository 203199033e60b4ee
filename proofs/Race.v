(* claims: prop-iii.2
   theorems: loser_never_escapes

   Proposition III.2, part (b): of two powers that grow by the same clock, the loser never gets
   away from its start. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* The two inequalities for one step, with p = q - 2.  A step multiplies x by 1 + u. *)
Lemma loser_step p u : 0 < p -> 0 <= u -> 1 - p * u <= Rpower (1 + u) (- p).
Proof.
  intros Hp Hu. unfold Rpower. pose proof (exp_ineq1_le (- p * ln (1 + u))).
  assert (ln (1 + u) <= u).
  { rewrite <- (ln_exp u) at 2. apply ln_le; [lra | apply exp_ineq1_le]. }
  nra.
Qed.

Lemma winner_step p u : 0 < p -> 0 <= u ->
  p * u * Rpower (1 + u) (- (p + 1)) <= 1 - Rpower (1 + u) (- p).
Proof.
  intros Hp Hu. set (v := Rpower (1 + u) (- p)).
  assert (Hv : 0 < v) by apply exp_pos.
  assert (E1 : Rpower (1 + u) (- (p + 1)) = v * / (1 + u)).
  { replace (- (p + 1)) with (- p + Ropp 1) by ring. rewrite Rpower_plus. f_equal.
    rewrite Rpower_Ropp, Rpower_1 by lra. reflexivity. }
  assert (E2 : v * Rpower (1 + u) p = 1).
  { unfold v. rewrite <- Rpower_plus, Rplus_opp_l. apply Rpower_O. lra. }
  (* (1 + u)^p >= 1 + p log(1 + u) >= 1 + p u/(1 + u) *)
  assert (L : u / (1 + u) <= ln (1 + u)).
  { assert (ln (/ (1 + u)) <= / (1 + u) - 1).
    { rewrite <- (ln_exp (/ (1 + u) - 1)). apply ln_le; [apply Rinv_0_lt_compat; lra|].
      pose proof (exp_ineq1_le (/ (1 + u) - 1)). lra. }
    rewrite ln_Rinv in H by lra.
    replace (u / (1 + u)) with (1 - / (1 + u)) by (field; lra). lra. }
  assert (P : 1 + p * (u / (1 + u)) <= Rpower (1 + u) p).
  { unfold Rpower. pose proof (exp_ineq1_le (p * ln (1 + u))). nra. }
  rewrite E1. replace (p * u * (v * / (1 + u))) with (v * (p * (u / (1 + u)))) by (field; lra).
  nra.
Qed.

Section Race.
Variables (q kappa_u kappa_v theta : R) (c A B : nat -> R).
Hypotheses (Hq : 2 < q) (Hu : 0 < kappa_u) (Hv : 0 < kappa_v) (Htheta : 0 <= theta).
Hypotheses (HA0 : 0 < A 0%nat) (HB0 : 0 < B 0%nat).
Hypothesis Hc : forall t, 0 <= c t.                         (* the common factors *)
Hypothesis HA : forall t, A (S t) = A t + c t * kappa_u * Rpower (A t) (q - 1).
Hypothesis HB : forall t, B (S t) = B t + c t * kappa_v * Rpower (B t) (q - 1).
Hypothesis Hgrowth : forall t, B (S t) <= (1 + theta) * B t. (* the largest relative growth *)

(* The race ratio. *)
Definition ratio : R := kappa_v * Rpower (B 0%nat) (q - 2) / (kappa_u * Rpower (A 0%nat) (q - 2)).

Fixpoint clock (t : nat) : R := match t with O => 0 | S s => clock s + c s end.

Lemma stays_positive (x : nat -> R) kappa : 0 < kappa -> 0 < x 0%nat ->
  (forall t, x (S t) = x t + c t * kappa * Rpower (x t) (q - 1)) -> forall t, 0 < x t.
Proof.
  intros Hk H0 Hx t. induction t as [|t IH]; [exact H0|]. rewrite Hx.
  assert (0 <= c t * kappa * Rpower (x t) (q - 1)).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply Hc | lra] | left; apply exp_pos]. }
  lra.
Qed.

(* A step multiplies x by 1 + u with u = c kappa x^(q-2). *)
Lemma step_factor x kappa k : 0 < x ->
  x + k * kappa * Rpower x (q - 1) = x * (1 + k * kappa * Rpower x (q - 2)).
Proof.
  intros Hx. replace (q - 1) with (1 + (q - 2)) by ring. rewrite Rpower_plus, Rpower_1 by exact Hx.
  ring.
Qed.

Lemma power_of_step x u : 0 < x -> 0 <= u ->
  Rpower (x * (1 + u)) (2 - q) = Rpower x (2 - q) * Rpower (1 + u) (- (q - 2)).
Proof. intros. rewrite <- Rpower_mult_distr by lra. do 2 f_equal. ring. Qed.

Lemma cancel x : 0 < x -> Rpower x (2 - q) * Rpower x (q - 2) = 1.
Proof.
  intros. rewrite <- Rpower_plus. replace (2 - q + (q - 2)) with 0 by ring. now apply Rpower_O.
Qed.

(* A^(2-q) loses at most (q - 2) kappa_u c_t in a step: it is convex and lies above its tangent. *)
Lemma loser_loses_at_most t :
  Rpower (A 0%nat) (2 - q) - (q - 2) * kappa_u * clock t <= Rpower (A t) (2 - q).
Proof.
  induction t as [|t IH]; [simpl; lra|]. cbn [clock].
  pose proof (stays_positive A kappa_u Hu HA0 HA t) as Hp.
  rewrite HA, step_factor by exact Hp. set (u := c t * kappa_u * Rpower (A t) (q - 2)).
  assert (H0 : 0 <= u).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply Hc | lra] | left; apply exp_pos]. }
  rewrite power_of_step by assumption.
  pose proof (loser_step (q - 2) u ltac:(lra) H0) as L.
  assert (Hg : 0 < Rpower (A t) (2 - q)) by apply exp_pos.
  assert (E : Rpower (A t) (2 - q) * u = c t * kappa_u).
  { unfold u. pose proof (cancel (A t) Hp) as C.
    transitivity (c t * kappa_u * (Rpower (A t) (2 - q) * Rpower (A t) (q - 2))); [ring|].
    rewrite C. ring. }
  apply Rmult_le_compat_l with (r := Rpower (A t) (2 - q)) in L; [|lra].
  replace (Rpower (A t) (2 - q) * (1 - (q - 2) * u))
    with (Rpower (A t) (2 - q) - (q - 2) * (Rpower (A t) (2 - q) * u)) in L by ring.
  rewrite E in L. lra.
Qed.

(* B^(2-q) loses at least (q - 2) kappa_v (1 + theta)^(1-q) c_t, and stays positive: this bounds
   the common clock. *)
Lemma winner_loses_at_least t :
  Rpower (B t) (2 - q)
  <= Rpower (B 0%nat) (2 - q) - (q - 2) * kappa_v * Rpower (1 + theta) (- (q - 1)) * clock t.
Proof.
  induction t as [|t IH]; [simpl; lra|]. cbn [clock].
  pose proof (stays_positive B kappa_v Hv HB0 HB t) as Hp. pose proof (Hgrowth t) as G.
  rewrite HB, step_factor in * by exact Hp.
  set (u := c t * kappa_v * Rpower (B t) (q - 2)) in *.
  assert (H0 : 0 <= u).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply Hc | lra] | left; apply exp_pos]. }
  assert (Ht : u <= theta) by nra.
  rewrite power_of_step by assumption.
  pose proof (winner_step (q - 2) u ltac:(lra) H0) as W.
  replace (q - 2 + 1) with (q - 1) in W by ring.
  assert (M : Rpower (1 + theta) (- (q - 1)) <= Rpower (1 + u) (- (q - 1))).
  { rewrite !Rpower_Ropp. apply Rinv_le_contravar; [apply exp_pos|].
    apply Rle_Rpower_l; lra. }
  set (w := Rpower (1 + u) (- (q - 1))) in *. set (w' := Rpower (1 + theta) (- (q - 1))) in *.
  assert (Hg : 0 < Rpower (B t) (2 - q)) by apply exp_pos.
  assert (E : Rpower (B t) (2 - q) * u = c t * kappa_v).
  { unfold u. pose proof (cancel (B t) Hp) as C.
    transitivity (c t * kappa_v * (Rpower (B t) (2 - q) * Rpower (B t) (q - 2))); [ring|].
    rewrite C. ring. }
  apply Rmult_le_compat_l with (r := Rpower (B t) (2 - q)) in W; [|lra].
  assert (0 <= c t * kappa_v) by (apply Rmult_le_pos; [apply Hc | lra]).
  assert ((q - 2) * (c t * kappa_v) * w' <= (q - 2) * (c t * kappa_v) * w)
    by (apply Rmult_le_compat_l; nra).
  replace (Rpower (B t) (2 - q) * ((q - 2) * u * w))
    with ((q - 2) * (Rpower (B t) (2 - q) * u) * w) in W by ring.
  rewrite E in W. lra.
Qed.

Theorem loser_never_escapes :
  ratio > Rpower (1 + theta) (q - 1) ->
  forall t, A t <= A 0%nat * Rpower (1 - Rpower (1 + theta) (q - 1) / ratio) (- (1 / (q - 2))).
Proof.
  intros HR t. set (k := Rpower (1 + theta) (q - 1)) in *.
  assert (Hk : 0 < k) by apply exp_pos. set (D := 1 - k / ratio).
  assert (HD : 0 < D).
  { unfold D. apply Rlt_Rminus, Rmult_lt_reg_r with ratio; [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  pose proof (stays_positive A kappa_u Hu HA0 HA t) as Hp.
  pose proof (loser_loses_at_most t) as L. pose proof (winner_loses_at_least t) as W.
  rewrite Rpower_Ropp in W. fold k in W.
  assert (HBt : 0 < Rpower (B t) (2 - q)) by apply exp_pos.
  pose proof (cancel _ HA0) as CA. pose proof (cancel _ HB0) as CB.
  set (gA := Rpower (A 0%nat) (2 - q)) in *. set (gB := Rpower (B 0%nat) (2 - q)) in *.
  assert (HgA : 0 < gA) by apply exp_pos. assert (HgB : 0 < gB) by apply exp_pos.
  assert (ER : ratio = kappa_v * gA / (kappa_u * gB)).
  { unfold ratio. assert (Rpower (B 0%nat) (q - 2) = / gB) as -> by (field_simplify_eq; lra).
    assert (Rpower (A 0%nat) (q - 2) = / gA) as -> by (field_simplify_eq; lra). field. lra. }
  (* the clock stops before (q - 2) kappa_v clock = k B_0^(2-q) *)
  assert (C : (q - 2) * kappa_v * clock t <= k * gB).
  { apply Rmult_le_reg_r with (/ k); [now apply Rinv_0_lt_compat|].
    replace (k * gB * / k) with gB by (field; lra). lra. }
  assert (G : gA * D <= Rpower (A t) (2 - q)).
  { eapply Rle_trans; [|exact L]. unfold D. rewrite ER.
    replace (gA * (1 - k / (kappa_v * gA / (kappa_u * gB))))
      with (gA - kappa_u / kappa_v * (k * gB)) by (field; lra).
    apply Rplus_le_compat_l, Ropp_le_contravar.
    replace ((q - 2) * kappa_u * clock t) with (kappa_u / kappa_v * ((q - 2) * kappa_v * clock t))
      by (field; lra).
    apply Rmult_le_compat_l; [|exact C]. left. now apply Rdiv_lt_0_compat. }
  (* raise both sides to -1/(q - 2) *)
  replace (A t) with (Rpower (Rpower (A t) (2 - q)) (- (1 / (q - 2)))).
  2:{ rewrite Rpower_mult. replace ((2 - q) * - (1 / (q - 2))) with 1 by (field; lra).
      now apply Rpower_1. }
  replace (A 0%nat) with (Rpower gA (- (1 / (q - 2)))).
  2:{ unfold gA. rewrite Rpower_mult. replace ((2 - q) * - (1 / (q - 2))) with 1 by (field; lra).
      now apply Rpower_1. }
  rewrite Rpower_mult_distr, !Rpower_Ropp by assumption.
  apply Rinv_le_contravar; [apply exp_pos|]. apply Rle_Rpower_l; [|split; [nra | exact G]].
  left. apply Rdiv_lt_0_compat; lra.
Qed.
End Race.
